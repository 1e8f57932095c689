import { readMethod } from './api.ts';
import { type Filter, listRows, readDocument } from './documents.ts';

/** The doctype of deliveries. */
export const LOG = 'Webhook Request Log';

export type DeliveryStatus = 'Pending' | 'Failed' | 'Delivered' | 'Exhausted' | 'Held' | 'Cancelled';

/** The state of a delivery as the UI shows it: one that a resend has delivered since is not given up. */
export const STATES = [
  'Pending',
  'Failed',
  'Delivered',
  'Exhausted',
  'Recovered',
  'Held',
  'Cancelled',
] as const;
export type DeliveryState = (typeof STATES)[number];

/** The state of a delivery. */
export function stateOf({ status, recovered }: Pick<Delivery, 'status' | 'recovered'>): DeliveryState {
  return status === 'Exhausted' && recovered === 1 ? 'Recovered' : status;
}

/** A delivery as lists show it. */
export interface Delivery {
  readonly name: string;
  readonly creation: string;
  readonly webhook: string;
  readonly event: string;
  readonly reference_doctype: string;
  readonly reference_document: string;
  readonly status: DeliveryStatus;
  readonly response_status: number;
  readonly duration_ms: number | null;
  readonly attempt: number;
  readonly next_retry: string | null;
  readonly error: string | null;
  readonly is_test: 0 | 1;
  /** 1: given up, and delivered by a resend since. */
  readonly recovered: 0 | 1;
  readonly resend_of: string | null;
  /** Given up, and a resend of it has not ended. */
  readonly isResending: boolean;
}

type StoredDelivery = Omit<Delivery, 'isResending'>;

const COLUMNS: readonly (keyof StoredDelivery)[] = [
  'name',
  'creation',
  'webhook',
  'event',
  'reference_doctype',
  'reference_document',
  'status',
  'response_status',
  'duration_ms',
  'attempt',
  'next_retry',
  'error',
  'is_test',
  'recovered',
  'resend_of',
];

/** True for an unfinished delivery, which can still be cancelled. */
export function isWaiting({ status }: Pick<Delivery, 'status'>): boolean {
  return WAITING.includes(status);
}

const WAITING: readonly DeliveryStatus[] = ['Pending', 'Failed', 'Held'];

/** Deliveries, newest first. */
export async function listDeliveries(
  filters: readonly Filter[],
  { start = 0, length = 50 }: { readonly start?: number; readonly length?: number } = {},
  signal?: AbortSignal,
): Promise<readonly Delivery[]> {
  const order = { order_by: 'creation desc', limit_start: start, limit_page_length: length };
  const rows = await listRows<StoredDelivery>(LOG, { fields: COLUMNS, filters, ...order }, { signal });
  return withResends(rows, signal);
}

/** Tells of deliveries that were given up whether a resend of them still waits. */
async function withResends<T extends StoredDelivery>(
  rows: readonly T[],
  signal: AbortSignal | undefined,
): Promise<readonly (T & Delivery)[]> {
  const originals = [...new Set(rows.filter(isGivenUp).map(originalOf))];
  const resends = originals.length === 0 ? [] : await waitingResends(originals, signal);
  const resent = new Set(resends.map(originalOf));
  return rows.map((row) => ({ ...row, isResending: isGivenUp(row) && resent.has(originalOf(row)) }));
}

function waitingResends(originals: readonly string[], signal: AbortSignal | undefined) {
  const filters: readonly Filter[] = [
    ['resend_of', 'in', originals],
    ['status', 'in', WAITING],
  ];
  const fields = ['name', 'resend_of'];
  return listRows<Pick<Delivery, 'name' | 'resend_of'>>(
    LOG,
    { fields, filters, limit_page_length: MOST_RESENDS },
    { signal },
  );
}

/** Of one page of deliveries. */
const MOST_RESENDS = 500;

function isGivenUp(row: StoredDelivery): boolean {
  return stateOf(row) === 'Exhausted';
}

/** The delivery that a resend repeats; else the delivery itself. */
function originalOf({ name, resend_of: original }: Pick<Delivery, 'name' | 'resend_of'>): string {
  return original ?? name;
}

/** An attempt at a delivery. */
export interface Attempt {
  readonly attempt: number;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly dns_ms: number | null;
  readonly connect_ms: number | null;
  readonly tls_ms: number | null;
  readonly ttfb_ms: number | null;
  readonly response_status: number;
  readonly error: string | null;
  /** A JSON object as text. */
  readonly response_headers: string | null;
  readonly response: string | null;
  readonly remote_ip: string | null;
  readonly node: string | null;
}

/** A delivery with its requests and responses. */
export interface DeliveryDetails extends Delivery {
  readonly request_method: string;
  readonly url: string;
  /** A JSON object as text. Possible credentials are masked with asterisks. */
  readonly headers: string;
  readonly webhook_id: string;
  readonly sequence: number;
  readonly chain_depth: number;
  readonly user: string;
  readonly attempts: readonly Attempt[];
}

export async function readDelivery(name: string, signal?: AbortSignal): Promise<DeliveryDetails> {
  const { doc } = await readDocument(LOG, name, { signal });
  const attempts = Array.isArray(doc['attempts']) ? doc['attempts'] : [];
  const read = {
    ...EMPTY,
    ...doc,
    attempts: attempts.map((attempt) => ({ ...EMPTY_ATTEMPT, ...attempt })),
  } as unknown as DeliveryDetails;
  const [delivery = read] = await withResends([read], signal);
  return delivery;
}

// The server omits null values.
const EMPTY: Partial<DeliveryDetails> = {
  duration_ms: null,
  next_retry: null,
  error: null,
  resend_of: null,
  is_test: 0,
  recovered: 0,
};
const EMPTY_ATTEMPT: Partial<Attempt> = {
  dns_ms: null,
  connect_ms: null,
  tls_ms: null,
  ttfb_ms: null,
  error: null,
  response_headers: null,
  response: null,
  remote_ip: null,
  node: null,
};

/** The exact bytes of a delivery's body. */
export async function readBody(name: string, signal?: AbortSignal): Promise<DeliveryBody> {
  const { body, sha256 } = await readMethod<{ body: string; sha256: string }>(
    'chancery.webhook.body',
    { name },
    { signal },
  );
  return { bytes: Uint8Array.from(atob(body), (character) => character.charCodeAt(0)), sha256 };
}

export interface DeliveryBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sha256: string;
}
