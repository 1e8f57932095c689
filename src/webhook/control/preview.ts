import type { Document } from '../../doctype/doctype.ts';
import type { Context } from '../../document/context.ts';
import { rowsOf } from '../../document/document.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { NO_CHAIN, renderChain } from '../delivery-chain.ts';
import { HEADER_MASK, isSensitive } from '../header-rules.ts';
import { type RequestTarget, renderRequest } from '../request.ts';
import { type Signing, signingKey } from '../sign.ts';
import { readSigning } from '../signing-secrets.ts';
import { readHeader } from '../webhook-spec.ts';
import { draftOf } from './draft.ts';
import { changeableWebhook, sampleOf } from './sample.ts';

/** The id of a delivery that is only shown. */
const PREVIEW_ID = 'dlv_preview';

/** Signs what nobody saved yet: whoever may write a webhook need not get signatures of its own for whatever they like. */
const EXAMPLE_SECRET = `whsec_${Buffer.from('an example, and nobody has to keep').toString('base64')}`;

/** The request that a webhook would make for a document now, values of secret headers masked. */
export interface Preview {
  /** What is wrong with the changes; nothing else is shown then. */
  readonly problems: readonly string[];
  readonly document: string | null;
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
  /** What signed it in place of the webhook's secret, where there are changes; else null. */
  readonly example_secret: string | null;
}

/** Which webhook, as it is stored or with changes that nobody saved. */
export interface Previewed {
  /** Null: a new one, made of the changes alone. */
  readonly webhook: string | null;
  /** Fields of the doctype Webhook by name; null for none. */
  readonly changes: unknown;
  /** Null: the document changed last. */
  readonly document: string | null;
}

/**
 * Shows what a webhook would send for a document, signed as it would be; with changes signed by an example secret.
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
  const signing = isDraft ? exampleSigning() : await readSigning(ctx.site, ctx.db, name);
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

/** As the webhook is now, enabled or not; what its secret headers hold stays hidden. */
function targetOf(ctx: Context, webhook: Document): RequestTarget {
  return {
    timeout: Number(webhook['timeout']) * 1000,
    headers: rowsOf(webhook, 'webhook_headers')
      .flatMap((row) => readHeader(row) ?? [])
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

// Nothing is special to a shell between single quotes but the quote itself.
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
