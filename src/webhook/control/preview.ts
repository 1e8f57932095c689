import type { Document } from '../../doctype/doctype.ts';
import type { Context } from '../../document/context.ts';
import { rowsOf } from '../../document/document.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type RequestTarget, renderRequest } from '../request.ts';
import { readSigning } from '../signing-secrets.ts';
import { readHeader } from '../webhook-spec.ts';
import { sampleOf } from './sample.ts';

/** The id of a delivery that is only shown. */
const PREVIEW_ID = 'dlv_preview';

/** The request that a webhook would make for a document now, values of secret headers masked. */
export interface Preview {
  readonly document: string;
  readonly meets_condition: boolean;
  /** Why it could not be made: `render_error: …`; null when all is well. */
  readonly error: string | null;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** To the byte, in UTF-8. */
  readonly body: string;
  /** The same as a command for a shell. */
  readonly curl: string;
}

/**
 * Shows what a webhook would send for a document, signed as it would be.
 * @throws ServiceError as `sampleOf`
 */
export async function previewDelivery(
  ctx: Context,
  name: string,
  documentName: string | null,
): Promise<Preview> {
  const { webhook, spec, document, meetsCondition, rendered } = await sampleOf(ctx, name, documentName);
  const target = targetOf(webhook);
  const signing = await readSigning(ctx.site, ctx.db, name);
  if (signing === null) throw new ServiceError('ValidationError', 'The secret cannot be read');
  const delivery = {
    id: 0,
    name: PREVIEW_ID,
    messageId: PREVIEW_ID,
    webhook: name,
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
  const request = renderRequest(delivery, target, signing, nowMillis(ctx.site.clock));
  const { method, url } = request;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([key, value]) => [key, String(value)]),
  );
  return {
    document,
    meets_condition: meetsCondition,
    error: rendered.failure,
    method,
    url,
    headers,
    body: rendered.body,
    curl: curlOf(method, url, headers, rendered.body),
  };
}

/** As the webhook is now, enabled or not; what its secret headers hold stays hidden. */
function targetOf(webhook: Document): RequestTarget {
  return {
    timeout: Number(webhook['timeout']) * 1000,
    headers: rowsOf(webhook, 'webhook_headers').flatMap((row) => readHeader(row) ?? []),
    hubSignature: Number(webhook['hub_signature']) === 1,
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

// Nothing is special to a shell between single quotes but the quote itself.
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
