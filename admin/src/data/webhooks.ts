import { callMethod, readMethod } from './api.ts';
import type { Filter } from './documents.ts';

/** Delivery figures of one time span or of all time. */
export interface Figures {
  readonly deliveries: number;
  readonly delivered: number;
  /** Given up and still undelivered. */
  readonly exhausted: number;
  /** Given up, and delivered by a resend since. */
  readonly recovered: number;
  readonly cancelled: number;
  readonly held: number;
  readonly waiting: number;
  readonly attempts: number;
  readonly failed_attempts: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly max_ms: number | null;
}

/** Figures per time span, in the site's time zone. */
export interface WebhookStats {
  readonly hours: readonly ({ readonly hour: string } & Figures)[];
  readonly total: Figures;
  readonly statuses?: readonly { readonly response_status: number; readonly attempts: number }[];
  readonly errors?: readonly { readonly error: string; readonly attempts: number; readonly last: string }[];
}

/** The length of a time span and the grouping of its figures. */
export interface StatsRange {
  readonly hours: number;
  readonly by: 'minute' | 'hour' | 'day';
}

/** Figures of one webhook or of all. */
export function readStats(
  range: StatsRange & { readonly webhook?: string; readonly details?: boolean },
  signal?: AbortSignal,
): Promise<WebhookStats> {
  const { details, ...rest } = range;
  return readMethod('chancery.webhook.stats', { ...rest, ...(details ? { details: 1 } : {}) }, { signal });
}

/** A webhook in the list, with its figures and its last error. */
export interface WebhookOverview extends Figures {
  readonly webhook: string;
  readonly by_hour: readonly {
    readonly hour: string;
    readonly deliveries: number;
    readonly failed: number;
  }[];
  readonly last_error: string | null;
  readonly last_error_at: string | null;
  /** The next attempt to a receiver that rests after failures; null without a rest. */
  readonly resting_until: string | null;
}

/** All webhooks, and the deliveries that are due. */
export interface Overview {
  readonly webhooks: readonly WebhookOverview[];
  readonly queue: {
    readonly waiting: number;
    readonly retrying: number;
    readonly held: number;
    readonly oldest: string | null;
  };
}

export function readOverview(hours: number, signal?: AbortSignal): Promise<Overview> {
  return readMethod('chancery.webhook.overview', { hours }, { signal });
}

/** A rendered request that is not sent. */
export interface Preview {
  /** Errors that would prevent saving this webhook. */
  readonly problems: readonly string[];
  readonly document: string | null;
  readonly meets_condition: boolean;
  readonly error: string | null;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly curl: string;
  /** The secret of the preview's signature if the webhook is not saved. */
  readonly example_secret: string | null;
}

/** Preview of a webhook's request for a document: the stored webhook, a changed one, or a new one. */
export function previewWebhook(
  args: {
    readonly webhook?: string;
    readonly changes?: Readonly<Record<string, unknown>>;
    readonly document?: string;
  },
  signal?: AbortSignal,
): Promise<Preview> {
  return callMethod('chancery.webhook.preview', args, { signal });
}

/** Sends one test delivery of a webhook for a document. Resolves to the name of its log entry. */
export async function testWebhook(webhook: string, document?: string): Promise<string> {
  const { name } = await callMethod<{ name: string }>('chancery.webhook.test', { webhook, document });
  return name;
}

/** A new secret. The server shows it only once. */
export interface NewSecret {
  readonly secret: string;
  /** The end of the overlap, during which the old secret stays valid; null without an overlap. */
  readonly old_secret_until: string | null;
}

export function rotateSecret(webhook: string, overlapHours: number): Promise<NewSecret> {
  return callMethod('chancery.webhook.regenerate_secret', { webhook, overlap_hours: overlapHours });
}

/** Makes headers with a single signature use the new secret. `endOverlap` expires the old secrets at once. */
export function switchSecret(webhook: string, endOverlap: boolean): Promise<unknown> {
  return callMethod('chancery.webhook.switch_secret', { webhook, end_overlap: endOverlap ? 1 : 0 });
}

/** Sends a delivery again. Resolves to the name of the new delivery. */
export async function resendDelivery(delivery: string): Promise<string> {
  const { name } = await callMethod<{ name: string }>('chancery.webhook.resend', { name: delivery });
  return name;
}

/** Cancels a waiting delivery. */
export function cancelDelivery(delivery: string): Promise<unknown> {
  return callMethod('chancery.webhook.cancel', { name: delivery });
}

/** Bulk actions on deliveries. */
export type BulkAction =
  | { readonly kind: 'resend'; readonly filters: readonly Filter[] }
  | { readonly kind: 'cancel'; readonly filters: readonly Filter[] }
  | { readonly kind: 'recover'; readonly webhook: string; readonly since: string };

/** The exact number of deliveries that an action affects. */
export async function countBulk(action: BulkAction, signal?: AbortSignal): Promise<number> {
  const reply = await callMethod<BulkReply>(
    BULK[action.kind],
    { ...argumentsOf(action), preview: 1 },
    { signal },
  );
  return reply.matching;
}

/**
 * Runs an action in batches of some hundreds. `onProgress` receives the number done so far. Resolves to the
 * total.
 */
export async function runBulk(
  action: BulkAction,
  onProgress: (done: number) => void,
  signal?: AbortSignal,
): Promise<number> {
  let done = 0;
  let after: string | null | undefined;
  for (;;) {
    const reply: BulkReply = await callMethod(
      BULK[action.kind],
      { ...argumentsOf(action), ...(after ? { after } : {}) },
      { signal },
    );
    const more = reply.resent?.length ?? reply.cancelled ?? 0;
    done += more;
    onProgress(done);
    after = reply.last;
    // A batch without progress would repeat forever: deliveries that cannot be cancelled match again.
    if (!reply.more || (action.kind === 'cancel' && more === 0)) return done;
  }
}

const BULK = {
  resend: 'chancery.webhook.resend_many',
  cancel: 'chancery.webhook.cancel_many',
  recover: 'chancery.webhook.recover',
} as const;

interface BulkReply {
  readonly matching: number;
  readonly resent?: readonly string[];
  readonly cancelled?: number;
  readonly more: boolean;
  readonly last?: string | null;
}

function argumentsOf({ kind: _, ...rest }: BulkAction): Readonly<Record<string, unknown>> {
  return rest;
}

const EVENTS = ['after_insert', 'on_update', 'on_change', 'on_trash', 'after_rename'];
const SUBMIT_EVENTS = ['on_submit', 'on_cancel', 'on_update_after_submit'];

/** The events of a doctype that webhooks can be sent for. */
export function eventsOf(isSubmittable: boolean): readonly string[] {
  return [...EVENTS, ...(isSubmittable ? SUBMIT_EVENTS : [])];
}
