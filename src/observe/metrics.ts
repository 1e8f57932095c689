import type { Observation } from '../kernel/observation.ts';
import { Counter, Histogram, labelText } from './exposition.ts';

/** By the first digit of a status. */
const CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'];

/** The metrics of this process since its start. Costs a few additions per request and attempt. */
export class Metrics {
  readonly #requests = new Counter('chancery_http_requests_total', 'Requests answered, by kind of work.');
  readonly #requestSeconds = new Histogram(
    'chancery_http_request_seconds',
    'Time from the head of a request to the end of its answer.',
  );
  readonly #attempts = new Counter('chancery_webhook_attempts_total', 'Delivery attempts, by outcome.');
  readonly #attemptSeconds = new Histogram(
    'chancery_webhook_attempt_seconds',
    'Duration of a delivery attempt.',
  );
  readonly #givenUp = new Counter('chancery_webhook_given_up_total', 'Deliveries that are not tried again.');
  readonly #retried = new Counter('chancery_transactions_retried_total', 'Retried transactions.');
  readonly #slow = new Counter('chancery_slow_queries_total', 'Lists and counts above lists.slowAfter.');
  readonly #unexpected = new Counter('chancery_unexpected_errors_total', 'Unexpected errors.');
  readonly #broken = new Counter(
    'chancery_http_replies_broken_total',
    'Replies that failed after their head was sent.',
  );
  readonly #stored = new Counter('chancery_files_stored_bytes_total', 'Bytes of stored files.');
  readonly #cut = new Counter(
    'chancery_http_replies_cut_total',
    'Replies that clients did not read fast enough.',
  );
  readonly #stopped = new Counter(
    'chancery_file_collections_stopped_total',
    'Collections that moved nothing because most stored objects were unknown.',
  );
  readonly #mails = new Counter('chancery_mails_sent_total', 'Mails sent.');

  constructor() {
    // Counters that exist before their first event.
    const plain = [
      this.#givenUp,
      this.#retried,
      this.#slow,
      this.#unexpected,
      this.#broken,
      this.#stored,
      this.#stopped,
    ];
    for (const counter of plain) counter.add({}, 0);
    this.#attemptSeconds.open('');
    for (const reason of ['slow', 'budget'] as const) this.repliesCut(reason, 0);
    for (const outcome of ['delivered', 'http_status', 'timeout']) this.#attempts.add({ outcome }, 0);
  }

  /** Counts an observation. */
  note(observation: Observation): void {
    if (observation.kind === 'delivery_attempted') {
      const { outcome, millis } = observation;
      this.#attempts.add({ outcome });
      this.#attemptSeconds.add('', millis / 1000);
    } else if (observation.kind === 'delivery_given_up') this.#givenUp.add();
    else if (observation.kind === 'transaction_retried') this.#retried.add();
    else if (observation.kind === 'slow_query') this.#slow.add();
    else if (observation.kind === 'unexpected') this.#unexpected.add();
    else if (observation.kind === 'reply_broken') this.#broken.add();
    else if (observation.kind === 'file_stored') this.#stored.add({}, observation.bytes);
    else if (observation.kind === 'collection_stopped') this.#stopped.add();
    else if (observation.kind === 'mail_sent') this.#mails.add();
  }

  /** Counts an answered request. `work` is the label of its route. */
  request(work: string, status: number, millis: number): void {
    let keys = this.#workKeys.get(work);
    if (keys === undefined) {
      const codes = CLASSES.map((code) => labelText({ work, code }));
      keys = { work: labelText({ work }), codes };
      this.#workKeys.set(work, keys);
    }
    this.#requests.addTo(keys.codes[Math.floor(status / 100)] ?? '');
    this.#requestSeconds.add(keys.work, millis / 1000);
  }

  /** Counts connections closed for reading too slowly, or for too many unread bytes. */
  repliesCut(reason: 'slow' | 'budget', count: number): void {
    this.#cut.add({ reason }, count);
  }

  readonly #workKeys = new Map<string, { readonly work: string; readonly codes: readonly string[] }>();

  /** The lines of the Prometheus text format. */
  lines(): string[] {
    return [
      this.#requests,
      this.#requestSeconds,
      this.#attempts,
      this.#attemptSeconds,
      this.#givenUp,
      this.#retried,
      this.#slow,
      this.#unexpected,
      this.#broken,
      this.#stored,
      this.#cut,
      this.#stopped,
      this.#mails,
    ].flatMap((metric) => metric.lines());
  }
}
