import type { Row } from '../../db/database.ts';
import type { SqlValue } from '../../db/sql.ts';
import type { Delivery } from '../send/delivery.ts';
import type { Outcome } from '../send/delivery-request.ts';
import type { Settlement } from './queue.ts';

/** The columns that `toDelivery` reads, of `_webhook_delivery d` and `_webhook_request b`. */
export const DELIVERY_COLUMNS = `d."id", d."name", d."manual_of", d."webhook", d."event", d."reference_doctype",
  d."order_key", d."seq", d."chain_depth", d."is_test", d."attempt", d."suspect", d."epoch",
  b."method", b."url", b."headers", b."body"`;

export function toDelivery(row: Row): Delivery {
  const id = Number(row['id']);
  const name = String(row['name']);
  const original = row['manual_of'];
  const seq = row['seq'];
  return {
    id,
    name,
    messageId: typeof original === 'string' ? original : name,
    webhook: String(row['webhook']),
    event: String(row['event']),
    doctypeName: String(row['reference_doctype']),
    orderKey: String(row['order_key']),
    seq: seq === null || seq === undefined ? id : Number(seq),
    chainDepth: Number(row['chain_depth']),
    isTest: row['is_test'] === 1,
    attempts: Number(row['attempt']),
    suspect: Number(row['suspect']),
    epoch: Number(row['epoch']),
    method: String(row['method']),
    url: String(row['url']),
    headers: String(row['headers']),
    body: String(row['body']),
  };
}

/** The columns of `_webhook_attempt`, in the order of `attemptValues`. */
export const ATTEMPT_COLUMNS = [
  'delivery',
  'n',
  'started_at',
  'duration_ms',
  'response_status',
  'error',
  'response',
  'remote_ip',
  'node',
  'dns_ms',
  'connect_ms',
  'tls_ms',
  'ttfb_ms',
  'response_headers',
] as const;

/** True when the settlement counts as an attempt and is logged as one. */
export function isAttempt({ state }: Settlement): boolean {
  return state !== 'refunded' && state !== 'held';
}

/** An attempt by column. `node` names the process where there are several. */
export function attemptValues(settlement: Settlement, node: string | null): SqlValue[] {
  const { delivery, startedAt, outcome } = settlement;
  const { timings } = outcome;
  return [
    delivery.id,
    delivery.attempts + 1,
    startedAt,
    outcome.millis,
    outcome.status,
    errorText(settlement),
    responseText(outcome),
    outcome.remoteIp,
    node,
    timings?.dns ?? null,
    timings?.connect ?? null,
    timings?.tls ?? null,
    timings?.ttfb ?? null,
    outcome.responseHeaders?.toWellFormed() ?? null,
  ];
}

function responseText({ response, isTruncated }: Outcome): string | null {
  const text = response?.toWellFormed() ?? null;
  return isTruncated ? `${text}\n(body_truncated: the body ended here, or exceeds the limit)` : text;
}

/** The kind of an error and a sentence; null without an error. PostgreSQL rejects lone surrogates. */
export function errorText({ outcome: { error } }: Settlement): string | null {
  return error && `${error.kind}: ${error.text}`.toWellFormed();
}
