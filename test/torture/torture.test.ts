/** The trials of this folder, each on a small scale, with real processes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENGINES, type Engine } from '../support/site.ts';
import { someOf } from '../support/some-of.ts';
import { chancery } from './chancery.ts';
import { openSender } from './naive-sender.ts';
import { kill } from './trials/kill.ts';
import { TRIALS } from './trials.ts';

/** Smaller than what the tool does when run by hand; `kill` has a file of its own. */
const SIZES: Readonly<Record<string, number>> = {
  states: 1,
  hostile: 2,
  clock: 1,
  frozen: 1,
  fenced: 1,
  endpoints: 300,
  'hot-document': 40,
  hanging: 20,
};
const TIMEOUT = 900_000;
const TRIED = someOf(
  TRIALS.filter(({ name }) => name in SIZES).flatMap((trial) =>
    (trial.needsNodes ? (['postgres'] as const) : ENGINES).map((on) => ({ trial, on })),
  ),
  4,
);

// Trials mostly wait. Those of the two engines share nothing, so they run side by side.
describe('trials', { concurrency: ENGINES.length }, () => {
  for (const engine of ENGINES) describe(engine, { concurrency: 1 }, () => tryOn(engine));
});

function tryOn(engine: Engine): void {
  for (const { trial, on } of TRIED) {
    if (on !== engine) continue;
    test(`${trial.name} on ${engine}: ${trial.about}`, { timeout: TIMEOUT }, (t) =>
      trial.run({
        open: chancery(engine),
        size: SIZES[trial.name] ?? trial.size,
        note: (what, value) => t.diagnostic(`${what} ${value}`),
      }),
    );
  }
}

test('a sender that keeps deliveries in memory does not stand it', { timeout: TIMEOUT }, async () => {
  await assert.rejects(
    kill.run({ open: openSender, size: 2, patience: 2_000, note: () => {} }),
    /lost|inversions|altered/,
  );
});
