import { type DestinationStream, destination, pino } from 'pino';
import { LIMITS } from '../kernel/limits.ts';
import type { Observation, Observer } from '../kernel/observation.ts';
import { type Level, terminalLine } from './terminal-log.ts';

/** The format of log lines: one JSON object each, or text for people. */
export type LogFormat = 'json' | 'text';

/**
 * Writes one line for each observation. Default: standard error, because standard output belongs to the
 * results of commands. Lines never contain headers, query strings or bodies. `worker`: the number of this
 * process among several. `least`: the least severity of a line.
 */
export function logObserver(
  stream: DestinationStream = standardError(),
  format: LogFormat = 'json',
  worker: number | null = null,
  least: Level = 'info',
): Observer {
  const write = format === 'json' ? jsonLines(stream) : textLines(stream);
  const written = new Set(SEVERITIES.slice(SEVERITIES.indexOf(least)));
  return (observation) => {
    const level = LEVELS[observation.kind] ?? 'info';
    if (!written.has(level)) return;
    const { kind, ...facts } = describe(observation);
    write(level, kind, worker === null ? facts : { worker, ...facts });
  };
}

type WriteLine = (level: Level, kind: string, facts: Readonly<Record<string, unknown>>) => void;

function jsonLines(stream: DestinationStream): WriteLine {
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, level: 'debug' }, stream);
  return (level, kind, facts) => log[level](facts, kind);
}

function textLines(stream: DestinationStream): WriteLine {
  const isColoured = process.stderr.isTTY === true && process.stderr.hasColors();
  return (level, kind, facts) => {
    stream.write(terminalLine(new Date(), level, kind, facts, isColoured));
  };
}

// A closed terminal or a full disk must not end the server: lines wait for room on the disk, and then get
// lost.
function standardError(): DestinationStream {
  const stream = destination({ fd: 2, sync: true, maxLength: LIMITS.logBacklog });
  stream.on('error', () => {});
  return stream;
}

const SEVERITIES: readonly Level[] = ['debug', 'info', 'warn', 'error'];

const LEVELS: Readonly<Partial<Record<Observation['kind'], Level>>> = {
  unexpected: 'error',
  reply_broken: 'error',
  collection_stopped: 'error',
  disk_full: 'error',
  delivery_given_up: 'warn',
  transaction_retried: 'warn',
  warning: 'warn',
  worker_ended: 'warn',
  request_slow: 'warn',
  schema_changed: 'debug',
  file_stored: 'debug',
  slow_query: 'debug',
  request_refused: 'debug',
  delivery_attempted: 'debug',
};

function describe(observation: Observation): { readonly kind: string } & Record<string, unknown> {
  if (observation.kind === 'request' || observation.kind === 'request_slow')
    return { ...observation, url: withoutQuery(observation.url) };
  if (observation.kind === 'unexpected') {
    const { request, error, ...facts } = observation;
    return { ...facts, ...request, error: describeError(error) };
  }
  if (observation.kind === 'reply_broken') {
    return { ...observation, error: describeError(observation.error) };
  }
  return { ...observation };
}

// Careless clients send passwords and tokens in queries.
function withoutQuery(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

// Only these three: drivers attach statements, parameters and row values to their errors.
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { name: error.name, message: error.message, stack: error.stack, ...cause };
}
