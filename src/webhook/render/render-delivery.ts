import type { DocType, Document } from '../../doctype/doctype.ts';
import { isNumbered, wireName } from '../../doctype/numbered.ts';
import type { DocEvent } from '../../document/doc-event.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Scope } from '../../kernel/expression/evaluate.ts';
import { holds } from '../../kernel/expression/expression.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { memo } from '../../kernel/memo.ts';
import { urlProblem } from '../send/url-rules.ts';
import { hasChanged } from './changed-fields.ts';
import { type CompiledWebhook, compileWebhook } from './compile-webhook.ts';
import { type PayloadFormat, visibleDocument } from './document-text.ts';
import { formText, renderPayload, thinPayload } from './payload.ts';
import { layOut } from './python-json.ts';
import { renderTemplate } from './render-template.ts';
import type { WebhookSpec } from './webhook-spec.ts';

/** The request to send, or the reason why it cannot be rendered. */
export interface Rendered {
  readonly url: string;
  /** Empty on failure. */
  readonly body: string;
  /** Begins with `render_error`; null on success. */
  readonly failure: string | null;
}

/** The bodies of one event as JSON, by their plan: webhooks with the same plan share one. */
export type Bodies = Map<string, string>;

/**
 * Renders the request of a webhook for an event; null when its condition or its watched fields exclude the
 * event. Errors of a condition or a template do not throw: they become the `failure`.
 * @throws only for bugs of this program
 */
export function renderDelivery(
  format: PayloadFormat,
  webhook: WebhookSpec,
  event: DocEvent,
  bodies: Bodies = new Map(),
): Rendered | null {
  try {
    const compiled = compileWebhook(webhook);
    if (!fires(webhook, compiled, event)) return null;
    const usesPrevious = compiled.json?.usesPrevious === true || compiled.url?.usesPrevious === true;
    const scope = lazyScope(format, event, usesPrevious);
    const plan = planOf(webhook);
    const json = bodies.get(plan) ?? bodyText(format, webhook, compiled, event, scope);
    bodies.set(plan, json);
    const url = compiled.url
      ? addressOf(renderTemplate(compiled.url, 'url', scope(), LIMITS.webhookUrlLength))
      : null;
    return { url: url ?? webhook.url, body: webhook.isForm ? formText(json) : json, failure: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { url: webhook.url, body: '', failure: `render_error: ${error.message.slice(0, 300)}` };
  }
}

/** What the body depends on besides the event. */
const planOf = memo(({ json, fields, includePrevious }: WebhookSpec): string =>
  JSON.stringify([json, includePrevious, ...fields.map(({ fieldname, key }) => [fieldname, key])]),
);

function fires(webhook: WebhookSpec, { condition }: CompiledWebhook, event: DocEvent): boolean {
  const { watched } = webhook;
  if (watched.length > 0 && event.before && !watched.some((fieldname) => hasChanged(event, fieldname)))
    return false;
  if (condition === null) return true;
  const { doctype, doc, before } = event;
  const previous = previousOf(before && withNumber(doctype, before));
  return holds(condition, { ...stateOf(event), doc: withNumber(doctype, doc), ...previous });
}

// A name that is a number on the wire is one in conditions, too.
function withNumber(doctype: DocType, doc: Document): Scope['doc'] {
  return isNumbered(doctype) ? { ...doc, name: wireName(doctype, doc.name) } : doc;
}

/** For a new document `isNew` is true, and there is no former state. */
function stateOf(event: DocEvent): Pick<Scope, 'isNew' | 'hasChanged'> {
  return { isNew: event.before === null, hasChanged: (fieldname) => hasChanged(event, fieldname) };
}

function previousOf(previous: Scope['doc'] | null): Pick<Scope, 'previous'> {
  return previous ? { previous } : {};
}

/** The variables of templates, built on first use. */
function lazyScope(format: PayloadFormat, event: DocEvent, usesPrevious: boolean): () => Scope {
  let scope: Scope | null = null;
  return () => {
    scope ??= {
      ...stateOf(event),
      doc: visibleDocument(format, event.doctype, event.doc),
      ...previousOf(
        usesPrevious && event.before ? visibleDocument(format, event.doctype, event.before) : null,
      ),
    };
    return scope;
  };
}

function bodyText(
  format: PayloadFormat,
  webhook: WebhookSpec,
  { json }: CompiledWebhook,
  event: DocEvent,
  scope: () => Scope,
): string {
  if (!json) return renderPayload(format, event, webhook);
  const rendered = renderTemplate(json, 'json', scope(), LIMITS.deliveryBodyBytes);
  const body = rendered === null ? null : checkedJson(rendered);
  return body === null || body.length > LIMITS.deliveryBodyBytes
    ? thinPayload(event.doctype, event.doc)
    : body;
}

function checkedJson(text: string): string {
  try {
    return layOut(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ServiceError('ValidationError', `the JSON body did not render as valid JSON: ${error.message}`);
  }
}

function addressOf(rendered: string | null): string {
  const text = rendered?.trim();
  const problem = text === undefined ? 'it is too long' : urlProblem(text);
  if (text === undefined || problem !== null) {
    throw new ServiceError('ValidationError', `the address cannot be used: ${problem}`);
  }
  return text;
}
