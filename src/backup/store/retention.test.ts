import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { retained } from './retention.ts';

const NONE = { hourly: 0, daily: 0, weekly: 0, monthly: 0, logDays: 0 };
const NOW = Date.UTC(2026, 5, 15, 12);
const HOUR = 60 * 60_000;

/** A backup every six hours, for a year, named by its time; `log` of one epoch. */
function backups(log = false) {
  const all = [];
  for (let moment = NOW - 365 * 24 * HOUR; moment <= NOW; moment += 6 * HOUR) {
    const name = new Date(moment).toISOString().slice(0, 13);
    const database = { pageSize: 1, pages: 1, parts: [], overlay: [] };
    all.push({
      name,
      moment,
      database: { ...database, log: log ? { epoch: 'e', after: moment / HOUR } : null },
    });
  }
  return all;
}

describe('retention', () => {
  test('keeps the newest of each period, and always the newest', () => {
    const keep = { ...NONE, hourly: 2, daily: 3, weekly: 3, monthly: 3 };
    assert.deepEqual(
      [...retained(backups(), keep, NOW).backups].toSorted(),
      [
        ...['2026-06-15T12', '2026-06-15T06'],
        ...['2026-06-14T18', '2026-06-13T18'],
        // 2026-06-15 is a Monday, so 06-14 is the Sunday before.
        '2026-06-07T18',
        ...['2026-05-31T18', '2026-04-30T18'],
      ].toSorted(),
    );
    assert.deepEqual([...retained(backups(), NONE, NOW).backups], ['2026-06-15T12']);
    assert.deepEqual([...retained([], keep, NOW).backups], []);
  });

  test('keeps the log of the last days, and the backups from which it is replayed', () => {
    const all = backups(true);
    const { backups: kept, logs, logSince } = retained(all, { ...NONE, logDays: 2 }, NOW);
    assert.deepEqual([...kept].toSorted(), ['2026-06-13T12', '2026-06-15T12']);
    const since = Date.UTC(2026, 5, 13, 12);
    assert.deepEqual([...logs], [['e', since / HOUR]]);
    assert.equal(logSince, since);
  });

  test('keeps the first backup of each epoch since, and nothing of those that ended before', () => {
    const all = backups(true).map((backup, index) => ({
      ...backup,
      database: { ...backup.database, log: { epoch: `e${Math.floor(index / 4)}`, after: index } },
    }));
    const { logs, backups: kept } = retained(all, { ...NONE, logDays: 1 }, NOW);
    const oldest = all.findLastIndex(({ moment }) => moment <= NOW - 24 * HOUR);
    const epochs = [...new Set(all.slice(oldest).map(({ database }) => database.log.epoch))];
    assert.deepEqual([...logs.keys()].toSorted(), epochs.toSorted());
    assert.equal(kept.size, epochs.length + (logs.size > 1 ? 0 : 1));
  });
});
