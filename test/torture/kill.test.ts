/** The server is killed under load, again and again: no committed event is lost, none of an undone change is sent. */
import { test } from 'node:test';
import { ENGINES } from '../support/site.ts';
import { chancery } from './chancery.ts';
import { kill } from './trials/kill.ts';

/** CI's share; a longer run sets it higher. */
const KILLS = Number(process.env['CHANCERY_TEST_KILLS'] ?? 20);

for (const engine of ENGINES) {
  test(`kill -9 with deliveries on their way, on ${engine}`, { timeout: 120_000 + 20_000 * KILLS }, (t) =>
    kill.run({
      open: chancery(engine),
      size: KILLS,
      note: (what, value) => t.diagnostic(`${what} ${value}`),
    }),
  );
}
