import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Homes, type Peer } from './homes.ts';

const HOOKS = Array.from({ length: 40 }, (_, index) => `hook-${index}`);
const KEYS = Array.from({ length: 300 }, (_, index) => `Note\u001fnote-${index}`);
const LATER = 60_000;

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `node-${index}`);
}

/** The views of these processes, where each reports the receivers of its own webhooks as fast or not. */
function homesOf(nodes: readonly string[], fast: readonly string[], older: readonly string[] = []): Homes[] {
  let now = 0;
  const views = nodes.map((node) => new Homes(node, () => now));
  const all = (peers: readonly Peer[]) => {
    for (const view of views) view.update(peers);
  };
  all(nodes.map((node) => ({ node, fast: [] })));
  const reports = nodes.map((node, index) => {
    const own = fast.filter((webhook) => views[index]?.isHome(webhook));
    return { node, fast: older.includes(node) ? null : own };
  });
  all(reports);
  now = LATER;
  return views;
}

for (const count of [1, 2, 3, 10, 31, 32, 33, 100]) {
  test(`${count} processes: each document has one sender, and each process its share of a fast receiver`, () => {
    const nodes = names(count);
    const views = homesOf(nodes, HOOKS);
    const senders = Math.min(count, 32);
    for (const webhook of HOOKS) {
      const shares = views.map((view) => view.shareOf(webhook));
      const places = shares.flatMap((share) => (share ? [share.place] : []));
      assert.deepEqual(
        places.toSorted((left, right) => left - right),
        Array.from({ length: senders }, (_, place) => place),
      );
      assert.ok(shares.every((share) => share === null || share.of === senders));
      for (const key of KEYS.slice(0, 20)) {
        const told = new Set(views.map((view) => view.senderOf(webhook, key)));
        assert.equal(told.size, 1);
        assert.notEqual(shares[nodes.indexOf([...told][0] ?? '')], null);
      }
    }
    // Every process sends something of some webhook.
    assert.ok(views.every((view) => HOOKS.some((webhook) => view.shareOf(webhook))));
  });
}

test('the documents of one webhook are spread evenly', () => {
  const [view] = homesOf(names(3), ['hook-0']);
  const counts = Map.groupBy(KEYS, (key) => view?.senderOf('hook-0', key));
  for (const [node, keys] of counts) assert.ok(keys.length > KEYS.length / 5, `${node}: ${keys.length}`);
  assert.equal(counts.size, 3);
});

for (const [what, fast, older, isUndivided] of [
  ['a receiver that is not fast', [], [], false],
  ['a webhook with a rate limit', HOOKS, [], true],
  ['a webhook, while a process has an older version,', HOOKS, ['node-1'], false],
] as const) {
  test(`${what} has one sender for all documents`, () => {
    const views = homesOf(names(3), fast, older);
    for (const webhook of HOOKS) {
      const shares = views.map((view) => view.shareOf(webhook, isUndivided));
      assert.deepEqual(
        shares.filter((share) => share !== null),
        [{ of: 1, place: 0 }],
      );
      assert.deepEqual(
        shares.map((share) => share !== null),
        views.map((view) => view.isHome(webhook)),
      );
    }
  });
}

test('the home sends all until the others know, and again as soon as its receiver is slow', () => {
  let now = 0;
  const view = new Homes('node-0', () => now);
  const update = (fast: readonly string[]) =>
    view.update(names(3).map((node) => ({ node, fast: node === 'node-0' ? fast : [] })));
  update([]);
  const own = HOOKS.find((webhook) => view.isHome(webhook)) ?? '';
  const others = HOOKS.find((webhook) => !view.isHome(webhook)) ?? '';
  // Only the home decides.
  update([own, others]);
  assert.equal(view.shareOf(others), null);
  assert.deepEqual(view.shareOf(own), { of: 1, place: 0 });
  assert.equal(view.senderOf(own, 'any'), 'node-0');
  now += LATER;
  update([own]);
  assert.equal(view.shareOf(own)?.of, 3);
  update([]);
  assert.deepEqual(view.shareOf(own), { of: 1, place: 0 });
});
