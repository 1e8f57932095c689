/** The server is killed under load, again and again: no committed event is lost, none of an undone change is sent. */
import { describe, test } from 'node:test';
import { ENGINES } from '../support/site.ts';
import { someOf } from '../support/some-of.ts';
import { chancery } from './chancery.ts';
import { kill } from './trials/kill.ts';

/**
 * CI's share; a longer run sets it higher. On PostgreSQL each costs the seconds after which the webhooks of a
 * process that fell silent move to another.
 */
const MORE = process.env['CHANCERY_TEST_KILLS'];
const KILLS = { sqlite: Number(MORE ?? 5), postgres: Number(MORE ?? 3) };
const WORKERS = { sqlite: [1], postgres: [1, 3] };
const SERVERS = ENGINES.flatMap((engine) => WORKERS[engine].map((workers) => [engine, workers] as const));

// Each mostly waits, and shares nothing with the other.
describe('kills', { concurrency: ENGINES.length }, () => {
  for (const [engine, workers] of someOf(SERVERS, 2)) {
    test(
      `kill -9 with deliveries on their way, on ${engine}${workers > 1 ? ` with ${workers} workers` : ''}`,
      { timeout: 300_000 + 60_000 * KILLS[engine] },
      (t) =>
        kill.run({
          open: chancery(engine, workers),
          size: KILLS[engine],
          note: (what, value) => t.diagnostic(`${what} ${value}`),
        }),
    );
  }
});
