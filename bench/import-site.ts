/** What the benches of imports share: a site of its own with fsync on, and figures of a run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spareMemory } from '../src/cli/spare-memory.ts';
import { DURABLE, startPostgres } from '../test/support/embedded-postgres.ts';
import { startTestSite, type TestSite, type TestSiteOptions } from '../test/support/site.ts';

/**
 * Makes a file with `make`, which does not count, and runs `work` with its path and a site. Memory is spared as by the
 * command.
 */
export async function withImportSite(
  engine: 'sqlite' | 'postgres',
  options: TestSiteOptions,
  make: (folder: string) => Promise<string>,
  work: (site: TestSite, file: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-bench-'));
  const postgres = engine === 'postgres' ? await startPostgres(DURABLE) : null;
  if (postgres) process.env['CHANCERY_TEST_POSTGRES'] = postgres.url;
  try {
    const file = await make(folder);
    spareMemory();
    const site = await startTestSite(engine, options);
    try {
      await work(site, file);
    } finally {
      await site.stop();
    }
  } finally {
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs `work`. Resolves to its result, its seconds, and a text: the CPU of this process, whatever else the machine
 * does, and the growth of its resident set, read every 100 ms.
 */
export async function measured<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly seconds: number; readonly figures: string }> {
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 100);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const result = await work();
  const seconds = (performance.now() - began) / 1_000;
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpu);
  const memory = Math.round((most - before) / 2 ** 20);
  const figures = `CPU of this process ${((user + system) / 1e6).toFixed(1)} s, memory +${memory} MiB`;
  return { result, seconds, figures };
}
