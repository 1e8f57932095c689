import { type DestinationStream, destination, pino } from 'pino';
import { LIMITS } from '../kernel/limits.ts';
import type { Observation, Observer } from '../kernel/observation.ts';

/**
 * Writes observations as one JSON line each, to standard error unless a stream is given: standard output belongs to
 * what a person asked a command for. Lines never hold headers, query strings or bodies.
 */
export function logObserver(stream: DestinationStream = standardError()): Observer {
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  return (observation) => {
    const { kind, ...facts } = describe(observation);
    if (LEVELS[observation.kind] === 'error') log.error(facts, kind);
    else if (LEVELS[observation.kind] === 'warn') log.warn(facts, kind);
    else if (LEVELS[observation.kind] === 'debug') log.debug(facts, kind);
    else log.info(facts, kind);
  };
}

// A terminal that goes away, or a full disk, loses lines and must not end the server. Lines wait for the disk to have room.
function standardError(): DestinationStream {
  const stream = destination({ fd: 2, sync: true, maxLength: LIMITS.logBacklog });
  stream.on('error', () => {});
  return stream;
}

const LEVELS: Readonly<Partial<Record<Observation['kind'], 'error' | 'warn' | 'debug'>>> = {
  unexpected: 'error',
  reply_broken: 'error',
  collection_stopped: 'error',
  delivery_given_up: 'warn',
  transaction_retried: 'warn',
  warning: 'warn',
  schema_changed: 'debug',
  file_stored: 'debug',
  slow_query: 'debug',
  delivery_attempted: 'debug',
};

function describe(observation: Observation): { readonly kind: string } & Record<string, unknown> {
  if (observation.kind === 'request') return { ...observation, url: withoutQuery(observation.url) };
  if (observation.kind === 'unexpected' || observation.kind === 'reply_broken') {
    return { ...observation, error: describeError(observation.error) };
  }
  return { ...observation };
}

// Passwords and tokens of careless clients travel in queries.
function withoutQuery(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

// Only these three: drivers hang statements, parameters and row values on their errors.
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { name: error.name, message: error.message, stack: error.stack, ...cause };
}
