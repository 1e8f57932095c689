import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../test/support/until.ts';
import { nowMillis, systemClock } from './clock.ts';
import { Jobs } from './jobs.ts';

const HOUR = 60 * 60_000;

test('a job that is asked for runs before it is due', async () => {
  const jobs = new Jobs(systemClock());
  const job = jobs.job('empty_quarantine');
  const { signal } = new AbortController();
  const due = job.due(HOUR, signal);
  assert.equal(jobs.has('empty_quarantine'), true);
  jobs.ask('empty_quarantine');
  assert.equal(await due, true);
  assert.equal(await job.run(async () => 7), 7);
  const [state] = jobs.states();
  assert.deepEqual([state?.runs, state?.failures, state?.done, state?.error], [1, 0, 7, null]);
});

test('a request to run that comes while nothing waits is not lost', async () => {
  const job = new Jobs(systemClock()).job('empty_quarantine');
  const { signal } = new AbortController();
  await job.run(async () => job.ask());
  assert.equal(await job.due(HOUR, signal), true);
});

test('a failure is kept until the next run, and thrown', async () => {
  const jobs = new Jobs(systemClock());
  const job = jobs.job('trim_change_feed');
  await assert.rejects(
    job.run(() => Promise.reject(new Error('no connection'))),
    /no connection/,
  );
  assert.deepEqual([jobs.states()[0]?.failures, jobs.states()[0]?.error], [1, 'no connection']);
  await job.run(async () => null);
  assert.deepEqual([jobs.states()[0]?.failures, jobs.states()[0]?.error], [1, null]);
});

test('a stopped loop waits no longer, and unknown jobs are refused', async () => {
  const jobs = new Jobs(systemClock());
  const abort = new AbortController();
  const due = jobs.job('collect_unused_files').due(HOUR, abort.signal);
  abort.abort();
  assert.equal(await due, false);
  assert.equal(jobs.has('nothing'), false);
});

test('a job waits for its interval at most, whatever the answer of other servers', async () => {
  const jobs = new Jobs(systemClock());
  const answers = [40 * 24 * HOUR, 0];
  jobs.share(async () => answers.shift() ?? 0);
  const job = jobs.job('collect_unused_files');
  const abort = new AbortController();
  const due = job.due(0, abort.signal);
  await until(() => answers.length === 1);
  const { next, every } = job.state();
  const most = nowMillis(systemClock()) + 1.1 * every;
  assert.ok(next !== null && next <= most, `${next}`);
  abort.abort();
  assert.equal(await due, false);
});
