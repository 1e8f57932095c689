import type { TestContext } from 'node:test';
import { ScanPool } from '../../src/db/sqlite/scan-pool.ts';

/** Counts the reads that SQLite moves to a thread, for the rest of a test. */
export function countScans(t: TestContext): (read: () => Promise<unknown>) => Promise<number> {
  const { mock } = t.mock.method(ScanPool.prototype, 'all');
  return async (read) => {
    const before = mock.callCount();
    await read();
    return mock.callCount() - before;
  };
}
