import type { Document } from '../../doctype/doctype.ts';
import type { Context } from '../../document/contract.ts';
import { rowsOf } from '../../document/document.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { loadSigning } from '../config/signing-secrets.ts';
import { NO_CHAIN, renderChain } from '../match/delivery-chain.ts';
import { parseHeader } from '../render/webhook-spec.ts';
import { HEADER_MASK, isSensitive } from '../send/header-rules.ts';
import { type RequestTarget, renderRequest } from '../send/request.ts';
import { type Signing, signingKey } from '../send/sign.ts';
import { draftOf } from './draft.ts';
import { changeableWebhook, sampleOf } from './sample.ts';

/** The id of a previewed delivery. */
const PREVIEW_ID = 'dlv_preview';

/**
 * Signs previews of unsaved changes. The real secret would let anyone who may write the webhook obtain
 * signatures for any content.
 */
const EXAMPLE_SECRET = `whsec_${Buffer.from('an example, and nobody has to keep').toString('base64')}`;

/** The request that a webhook would send for a document now, with values of secret headers masked. */
export interface Preview {
  /** The problems of the changes. If there are any, nothing else is shown. */
  readonly problems: readonly string[];
  readonly document: string | null;
  readonly meets_condition: boolean;
  /** Why the request could not be rendered: `render_error: …`; null on success. */
  readonly error: string | null;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes, in UTF-8. */
  readonly body: string;
  /** The same request as a `curl` command. */
  readonly curl: string;
  /** The secret that signed a preview of changes, in place of the webhook's own; otherwise null. */
  readonly example_secret: string | null;
}

/** The webhook to preview, as stored or with unsaved changes. */
export interface Previewed {
  /** Null: a new webhook, made of the changes alone. */
  readonly webhook: string | null;
  /** Fields of the doctype Webhook by name; null for none. */
  readonly changes: unknown;
  /** Null: the document that changed last. */
  readonly document: string | null;
}

/**
 * Shows the request that a webhook would send for a document, with its signatures. Unsaved changes are signed
 * with an example secret.
 * @throws ServiceError as `sampleOf`
 */
export async function previewDelivery(
  ctx: Context,
  { webhook: name, changes, document: documentName }: Previewed,
): Promise<Preview> {
  const isDraft = name === null || changes !== null;
  const { webhook, problems } = isDraft
    ? await draftOf(ctx, name, changes ?? {})
    : { webhook: await changeableWebhook(ctx, name), problems: [] };
  if (problems.length > 0) return { ...NOTHING, problems };
  const { spec, document, meetsCondition, rendered } = await sampleOf(ctx, webhook, documentName);
  const signing = isDraft ? exampleSigning() : await loadSigning(ctx.site, ctx.db, name);
  if (signing === null) throw new ServiceError('ValidationError', 'The secret cannot be read');
  const delivery = {
    id: 0,
    name: PREVIEW_ID,
    messageId: PREVIEW_ID,
    webhook: webhook.name,
    event: spec.event,
    doctypeName: spec.doctype,
    orderKey: '',
    seq: 0,
    chainDepth: 0,
    isTest: true,
    attempts: 0,
    suspect: 0,
    epoch: 0,
    method: spec.method,
    url: rendered.url,
    headers: spec.headersText,
    body: rendered.body,
  };
  const request = renderRequest(delivery, targetOf(ctx, webhook), signing, nowMillis(ctx.site.clock));
  const { method, url } = request;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([key, value]) => [key, String(value)]),
  );
  return {
    problems,
    document,
    meets_condition: meetsCondition,
    error: rendered.failure,
    method,
    url,
    headers,
    body: rendered.body,
    curl: curlOf(method, url, headers, rendered.body),
    example_secret: isDraft ? EXAMPLE_SECRET : null,
  };
}

const NOTHING: Preview = {
  problems: [],
  document: null,
  meets_condition: false,
  error: null,
  method: '',
  url: '',
  headers: {},
  body: '',
  curl: '',
  example_secret: null,
};

function exampleSigning(): Signing {
  const key = signingKey(EXAMPLE_SECRET);
  return { alone: key, next: null, all: [key] };
}

/** The webhook in its present state, enabled or not. Values of secret headers stay hidden. */
function targetOf(ctx: Context, webhook: Document): RequestTarget {
  return {
    timeout: Number(webhook['timeout']) * 1000,
    headers: rowsOf(webhook, 'webhook_headers')
      .flatMap((row) => parseHeader(row) ?? [])
      .map(({ key, value }) => ({ key, value: isSensitive(key) ? HEADER_MASK : value })),
    hubSignature: Number(webhook['hub_signature']) === 1,
    chain: renderChain(ctx.site, NO_CHAIN, webhook.name),
  };
}

function curlOf(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): string {
  const shown = Object.entries(headers).map(([key, value]) => `-H ${quoted(`${key}: ${value}`)}`);
  return ['curl', '-X', method, quoted(url), ...shown, '--data-raw', quoted(body)].join(' ');
}

// Between single quotes, only the quote itself is special to a shell.
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
