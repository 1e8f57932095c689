/** The server is killed under load, again and again: no committed event is lost, none of an undone change is sent. */
import { test } from 'node:test';
import { ENGINES } from '../support/site.ts';
import { chancery } from './chancery.ts';
import { kill } from './trials/kill.ts';

/**
 * CI's share; a longer run sets it higher. On PostgreSQL what a process held when it was killed comes under suspicion, and after
 * several such deaths waits for minutes: longer than this test.
 */
const MORE = process.env['CHANCERY_TEST_KILLS'];
const KILLS = { sqlite: Number(MORE ?? 20), postgres: Number(MORE ?? 3) };

for (const engine of ENGINES) {
  test(
    `kill -9 with deliveries on their way, on ${engine}`,
    { timeout: 180_000 + 20_000 * KILLS[engine] },
    (t) =>
      kill.run({
        open: chancery(engine),
        size: KILLS[engine],
        note: (what, value) => t.diagnostic(`${what} ${value}`),
      }),
  );
}
