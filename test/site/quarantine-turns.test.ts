/** Of several servers with the same files, one at a time empties the quarantine. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseMark } from '../../src/file/site-mark.ts';
import { startCollecting } from '../../src/file/start-collecting.ts';
import { Jobs } from '../../src/kernel/jobs.ts';
import { startTestSite, type TestSite } from '../support/site.ts';
import { until } from '../support/until.ts';

let server: TestSite;
before(async () => {
  server = await startTestSite('postgres');
});
after(() => server.stop());

test('a server whose turn it is not leaves the quarantine alone, unless it is asked', async () => {
  const { site } = server;
  const jobs = new Jobs(site.clock);
  const asked: string[] = [];
  let left = 3_600_000;
  jobs.share(async (job) => {
    asked.push(job);
    return job === 'empty_quarantine' ? left : 0;
  });
  const mark = parseMark(await site.storage.readMark());
  assert.ok(mark);
  const stop = await startCollecting({ ...site, jobs }, site.storage, mark, 10);
  const runs = () => jobs.states().find(({ job }) => job === 'empty_quarantine')?.runs ?? 0;
  await until(() => asked.filter((job) => job === 'empty_quarantine').length > 3);
  assert.equal(runs(), 0);
  jobs.ask('empty_quarantine');
  await until(() => runs() === 1);
  left = 0;
  await until(() => runs() > 2);
  await stop();
});
