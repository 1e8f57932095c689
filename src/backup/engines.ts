import type { Clock } from '../kernel/clock.ts';
import type { EngineCopy } from './engine.ts';
import { postgresEngine } from './postgres/copy-postgres.ts';
import { sqliteEngine } from './sqlite/copy.ts';

/** The copy of the database that a URL names. */
export function engineOf(url: string, clock: Clock): EngineCopy {
  return url.startsWith('sqlite:')
    ? sqliteEngine({ path: url.slice('sqlite:'.length), clock })
    : postgresEngine(url);
}
