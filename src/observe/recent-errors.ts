import { type Clock, nowMillis } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Observation, RequestFacts } from '../kernel/observation.ts';
import { scrubSecrets } from '../kernel/scrub.ts';

/** An error as administrators see it, without secrets. */
export interface RecentError extends Partial<RequestFacts> {
  /** Milliseconds since the epoch: of the last occurrence. */
  readonly at: number;
  readonly kind: 'request' | 'refusal' | 'reply' | 'delivery' | 'task';
  /** Equal errors in a row, such as refusals of an overloaded server. */
  readonly times: number;
  /** The task, or the delivery. */
  readonly where?: string;
  readonly request_id?: string;
  readonly status?: number;
  readonly message: string;
  readonly stack?: string;
}

/** The last errors of this process. */
export class RecentErrors {
  readonly #clock: Clock;
  readonly #secrets: readonly string[];
  /** The oldest first, with the ids of the requests that they stand for. */
  readonly #errors: { error: RecentError; readonly ids: string[] }[] = [];

  constructor(clock: Clock, secrets: readonly string[]) {
    this.#clock = clock;
    this.#secrets = secrets;
  }

  note(observation: Observation): void {
    const error = this.#errorOf(observation);
    if (error === null) return;
    const last = this.#errors.at(-1);
    const id = error.request_id;
    if (last && isSame(last.error, error)) {
      last.error = { ...error, times: last.error.times + 1 };
      if (id && last.ids.length < LIMITS.recentErrors) last.ids.push(id);
      return;
    }
    this.#errors.push({ error, ids: id ? [id] : [] });
    if (this.#errors.length > LIMITS.recentErrors) this.#errors.shift();
  }

  /** The newest first; `requestId` names one request. */
  list(requestId?: string): readonly RecentError[] {
    const found = this.#errors.filter(({ ids }) => !requestId || ids.includes(requestId));
    return found.map(({ error }) => error).toReversed();
  }

  #errorOf(observation: Observation): RecentError | null {
    const seen = { at: nowMillis(this.#clock), times: 1 };
    switch (observation.kind) {
      case 'unexpected': {
        const { where, request, requestId } = observation;
        const told = this.#told(observation.error);
        if (!request) return { ...seen, kind: 'task', where, ...told };
        return {
          ...seen,
          kind: 'request',
          status: 500,
          request_id: requestId ?? '',
          ...this.#facts(request),
          ...told,
        };
      }
      case 'request_refused': {
        const { request, requestId, status } = observation;
        const message = this.#scrubbed(observation.message, LIMITS.recentErrorMessage);
        return { ...seen, kind: 'refusal', status, request_id: requestId, ...this.#facts(request), message };
      }
      case 'reply_broken':
        return {
          ...seen,
          kind: 'reply',
          request_id: observation.requestId,
          ...this.#told(observation.error),
        };
      case 'delivery_given_up': {
        const { delivery, webhook, reason } = observation;
        const message = this.#scrubbed(`${webhook}: ${reason}`, LIMITS.recentErrorMessage);
        return { ...seen, kind: 'delivery', where: delivery, message };
      }
      default:
        return null;
    }
  }

  #facts({ method, path, user }: RequestFacts): RequestFacts {
    return { method, path: this.#scrubbed(path, LIMITS.recentErrorMessage), user };
  }

  #told(error: unknown): Pick<RecentError, 'message' | 'stack'> {
    if (!(error instanceof Error))
      return { message: this.#scrubbed(String(error), LIMITS.recentErrorMessage) };
    const message = this.#scrubbed(`${error.name}: ${error.message}`, LIMITS.recentErrorMessage);
    const cause =
      error.cause instanceof Error ? `\nCaused by ${error.cause.stack ?? error.cause.message}` : '';
    return { message, stack: this.#scrubbed(`${error.stack ?? ''}${cause}`, LIMITS.recentErrorStack) };
  }

  // Cut first: patterns run over a bounded text only. A secret that the cut divides is cut off with its line.
  #scrubbed(text: string, length: number): string {
    return scrubSecrets(text.length <= length ? text : wholeWords(text.slice(0, length)), this.#secrets);
  }
}

function wholeWords(text: string): string {
  return `${text.slice(0, Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1)}…`;
}

function isSame(one: RecentError, other: RecentError): boolean {
  return (
    one.kind === other.kind &&
    one.kind !== 'request' &&
    one.message === other.message &&
    one.path === other.path &&
    one.where === other.where
  );
}
