/**
 * Requests by chance over every route and method: none may be answered with 5xx, in another shape than
 * promised, or with what the server keeps to itself; none may take more CPU than its budget, and all of them
 * together may take up no memory and no descriptors. `CHANCERY_TEST_FUZZ_REQUESTS` and
 * `CHANCERY_TEST_FUZZ_SEED` repeat or lengthen a run.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESSES } from '../../src/http/addresses.ts';
import { methodTable } from '../../src/http/methods/methods.ts';
import { engineOf } from '../support/describe-site.ts';
import { ENGINES, startTestSite } from '../support/site.ts';
import { BUDGET, isOver, Slowest } from './budget.ts';
import { type Footprint, growth, shownFootprint } from './footprint.ts';
import { fuzzSite } from './fuzz-site.ts';
import { OVERRIDDEN } from './methods.ts';
import { PLANNED } from './routes.ts';

const REQUESTS = Number(process.env['CHANCERY_TEST_FUZZ_REQUESTS'] ?? 10_000);
const SEED = Number(process.env['CHANCERY_TEST_FUZZ_SEED'] ?? 20_261_121);
/** A site is used for so many requests, which wear it out: they delete doctypes and disable users. */
const ROUND = 2_500;
/**
 * Descriptors that a site may open while it is used: connections of its pools, files of its database. They
 * are 16 to 22.
 */
const OPENED = 100;

test('no generator is left over', async () => {
  const site = await startTestSite('sqlite');
  const methods = methodTable(site.site);
  await site.stop();
  const paths = new Set(ADDRESSES.map(({ path }) => path));
  assert.deepEqual(
    PLANNED.filter((path) => !paths.has(path)),
    [],
    'plans in routes.ts of addresses that there are not',
  );
  assert.deepEqual(
    OVERRIDDEN.filter((name) => !name.startsWith('fuzz.') && !methods.has(name)),
    [],
    'arguments in methods.ts of methods that there are not',
  );
});

for (const engine of engineOf('fuzz')) {
  describe(`fuzz on ${engine}`, () => {
    const requests = Math.ceil(REQUESTS / ENGINES.length);
    // Each engine meets other requests.
    const seed = SEED + ENGINES.indexOf(engine) * 1_000_000;

    test(`${requests} requests from seed ${SEED} are answered as promised`, {
      timeout: 60_000 + requests * 60,
    }, async () => {
      const totals = new Map<string, Map<number, number>>();
      const failures: string[] = [];
      const slowest = new Slowest(10);
      const footprints: Footprint[] = [];
      let confirmed = 0;
      for (let sent = 0; sent < requests; sent += ROUND) {
        const round = await fuzzSite(engine, seed + sent, Math.min(ROUND, requests - sent));
        // A failure that is told at once can be looked at while the rest runs, and has the seed of its round.
        for (const failure of round.failures) console.log(`seed ${seed + sent}: ${failure}`);
        failures.push(...round.failures);
        confirmed += round.confirmed;
        for (const [route, statuses] of round.counts) add(totals, route, statuses);
        for (const spent of round.spent) slowest.note(spent);
        const { before, after, closed } = round.footprints;
        footprints.push(closed);
        const opened = after.descriptors - before.descriptors;
        if (opened > OPENED)
          failures.push(`the site of round ${footprints.length} keeps ${opened} descriptors open`);
        console.log(
          `${engine}, ${Math.min(sent + ROUND, requests)} requests: ${shownFootprint(after)}; closed ${shownFootprint(closed)}`,
        );
      }
      failures.push(...growth(footprints));
      console.log(table(totals));
      console.log(`${engine}: most CPU, beside others and (alone), milliseconds\n${slow(slowest)}`);
      console.log(`${engine}: seed ${SEED}, ${requests} requests, ${confirmed} documents read again`);
      assert.equal(
        failures.length,
        0,
        `seed ${SEED}, ${failures.length} failures\n\n${failures.slice(0, 20).join('\n\n')}`,
      );
      // Requests that are all refused would test nothing.
      const good = [...totals.values()].flatMap((one) => [...one]).filter(([status]) => status < 300);
      assert.ok(good.reduce((sum, [, count]) => sum + count, 0) > requests / 5, 'too few requests succeed');
    });
  });
}

function slow(slowest: Slowest): string {
  const shown = slowest.list().map(({ request, beside, alone }) => {
    const each = alone.map((cpu) => Math.round(cpu)).join(', ');
    const over = isOver([beside, ...alone]) ? ` over ${BUDGET}` : '';
    return `${Math.round(beside)} (${each})${over} ${request.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
  });
  return shown.join('\n');
}

function add(
  totals: Map<string, Map<number, number>>,
  route: string,
  statuses: ReadonlyMap<number, number>,
): void {
  const sums = totals.get(route) ?? new Map<number, number>();
  for (const [status, count] of statuses) sums.set(status, (sums.get(status) ?? 0) + count);
  totals.set(route, sums);
}

function table(totals: ReadonlyMap<string, ReadonlyMap<number, number>>): string {
  return [...totals]
    .sort(([a], [b]) => (a.slice(8) + a < b.slice(8) + b ? -1 : 1))
    .map(([route, statuses]) => {
      const cells = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}:${count}`);
      return `${route.padEnd(48)} ${cells.join(' ')}`;
    })
    .join('\n');
}
