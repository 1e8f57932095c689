import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { RemoteShape } from '../../src/frappe/remote/document-rows.ts';
import type { FollowTarget } from '../../src/frappe/remote/follow-target.ts';
import { DELETIONS, Follower } from '../../src/frappe/remote/follower.ts';
import { type RemoteRow, RemoteSite } from '../../src/frappe/remote/remote-site.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { useStarted } from '../support/describe-site.ts';
import { type FrappeRow, startFrappeSite } from '../support/frappe-site.ts';

const SHAPES: readonly RemoteShape[] = [
  { doctype: 'Note', tables: [{ fieldname: 'readers', doctype: 'Note Reader' }] },
  { doctype: 'Link', tables: [] },
];

describe('a running Frappe site is followed', () => {
  const frappe = useStarted(startFrappeSite);
  let positions: Map<string, string>;
  let here: MemoryTarget;
  let now: string;
  let isDeletingMany: boolean;
  let follower: Follower;
  const there = (doctype: string) => frappe.tables.get(doctype) ?? [];
  const put = (doctype: string, row: FrappeRow) => void there(doctype).push(row);
  const drop = (doctype: string, name: string) =>
    frappe.tables.set(
      doctype,
      there(doctype).filter((row) => row['name'] !== name),
    );

  beforeEach(async () => {
    frappe.denied.clear();
    frappe.hidden.clear();
    frappe.tables.clear();
    frappe.tables.set('Note Reader', []).set(DELETIONS, []);
    frappe.tables.set(
      'Note',
      ['a', 'b', 'c'].map((name, index) => ({ name, text: name, modified: at(index) })),
    );
    frappe.tables.set('Link', [{ name: 'l', note: 'a', modified: at(1) }]);
    positions = new Map();
    here = new MemoryTarget();
    now = at(10_000);
    isDeletingMany = false;
    const site = new RemoteSite({
      ...{ origin: frappe.url, key: frappe.key, clock: systemClock(), random: systemRandom() },
    });
    follower = new Follower({
      ...{ site, target: here, shapes: SHAPES, singles: [], positions, siteNow: () => now },
      get isDeletingMany() {
        return isDeletingMany;
      },
    });
    await follower.begin();
    await follower.compare();
    frappe.requests.length = 0;
  });

  const assertSame = () => {
    for (const { doctype } of SHAPES) {
      const plain = (row: RemoteRow) => ({ ...row, readers: undefined });
      assert.deepEqual(here.rows(doctype).map(plain), there(doctype).toSorted(byNameOf).map(plain), doctype);
    }
  };

  test('a poll stores what is new and changed, with child rows, and reads nothing twice', async () => {
    assertSame();
    put('Note', { name: 'd', text: 'new', modified: at(10) });
    put('Note Reader', { name: 'r', parent: 'd', parenttype: 'Note', parentfield: 'readers', idx: 1 });
    Object.assign(there('Note')[0] ?? {}, { text: 'changed', modified: at(11) });
    assert.equal((await follower.poll()).stored, 2);
    assertSame();
    assert.deepEqual(here.document('Note', 'd')?.['readers'], there('Note Reader'));
    frappe.requests.length = 0;
    assert.equal((await follower.poll()).stored, 0);
    assert.equal(frappe.requests.length, SHAPES.length + 1, 'one list for each doctype, and the deletions');
  });

  test('a transaction that commits minutes after its modified is found', async () => {
    put('Note', { name: 'd', modified: at(400) });
    await follower.poll();
    put('Note', { name: 'late', modified: at(400 - LIMITS.remoteOverlap / 1000 + 5) });
    put('Note', { name: 'too late', modified: at(400 - LIMITS.remoteOverlap / 1000 - 5) });
    await follower.poll();
    assert.ok(here.document('Note', 'late'));
    assert.equal(here.document('Note', 'too late'), undefined);
    assert.equal((await follower.compare()).stored, 1, 'the comparison finds what came too late for a poll');
    assertSame();
  });

  test('neither a document of the future nor a clock set back hides later changes', async () => {
    now = at(500);
    put('Note', { name: 'future', modified: '2099-01-01 00:00:00' });
    await follower.poll();
    put('Note', { name: 'd', modified: at(510) });
    await follower.poll();
    now = at(510 - 3_600);
    await follower.poll();
    put('Note', { name: 'e', modified: at(515 - 3_600) });
    await follower.poll();
    assertSame();
  });

  test('deletions are found by their records, unless the document was restored', async () => {
    for (const [index, name] of ['a', 'b'].entries()) {
      put(DELETIONS, {
        ...{ name: `x${index}`, deleted_doctype: 'Note', deleted_name: name, modified: at(20 + index) },
      });
    }
    drop('Link', 'l');
    drop('Note', 'a');
    const round = await follower.poll();
    assert.equal(round.removed, 1);
    assert.ok(here.document('Note', 'b'), 'b has a record, and is back');
    assert.deepEqual([...(await follower.compare()).conflicts], []);
    assertSame();
  });

  test('deletions without a record, and all of them if the records are denied, are found by names', async () => {
    drop('Note', 'c');
    frappe.denied.add(DELETIONS);
    assert.equal((await follower.poll()).removed, 0);
    const { removed, isAgreed, counts } = await follower.compare();
    assert.deepEqual([removed, isAgreed], [1, false]);
    assert.deepEqual(counts.get('Note'), { there: 2, here: 2 });
    assertSame();
    assert.ok((await follower.compare()).isAgreed);
  });

  test('documents that the key may not read any more stay, and forbid agreement', async () => {
    frappe.hidden.add('Note');
    put(DELETIONS, { name: 'x', deleted_doctype: 'Note', deleted_name: 'a', modified: at(20) });
    for (const round of [await follower.poll(), await follower.compare()]) {
      assert.deepEqual([round.removed, ...round.refused.keys()], [0, 'Note']);
    }
    assert.equal(here.rows('Note').length, 3);
    assert.equal((await follower.compare()).isAgreed, false);
  });

  test('many documents that are gone at once stay, unless they are to be deleted', async () => {
    for (let index = 0; index < LIMITS.remoteDeletions; index += 1) {
      put('Note', { name: `n${index}`, modified: at(10 + index) });
    }
    await follower.compare();
    for (const [index, { name }] of there('Note').entries()) {
      const record = { name: `x${index}`, deleted_doctype: 'Note', deleted_name: name };
      put(DELETIONS, { ...record, modified: at(20 + Math.floor(index / 2)) });
    }
    frappe.tables.set('Note', []);
    for (const find of [() => follower.poll(), () => follower.compare()]) {
      const { removed, refused } = await find();
      assert.equal(removed, 0);
      assert.match(refused.get('Note') ?? '', /does not list 13 of 13 documents .* --delete-many/);
    }
    assert.equal((await follower.compare()).isAgreed, false);
    isDeletingMany = true;
    assert.equal((await follower.poll()).removed, 13);
    assertSame();
  });

  test('a renamed document comes under its new name, and the links to it with it', async () => {
    Object.assign(there('Note')[0] ?? {}, { name: 'z' });
    Object.assign(there('Link')[0] ?? {}, { note: 'z' });
    await follower.compare();
    assertSame();
    assert.ok((await follower.compare()).isAgreed);
  });

  test('what changed here stays, and forbids agreement', async () => {
    here.changeHere('Note', 'a');
    Object.assign(there('Note')[0] ?? {}, { text: 'there', modified: at(30) });
    const round = await follower.poll();
    assert.deepEqual([round.stored, ...round.conflicts], [0, 'Note a']);
    assert.equal((await follower.compare()).isAgreed, false);
  });

  test('a doctype that is denied later is named, and the others go on', async () => {
    frappe.denied.add('Link');
    put('Note', { name: 'd', modified: at(40) });
    const round = await follower.poll();
    assert.deepEqual([round.stored, ...round.refused.keys()], [1, 'Link']);
    assert.equal((await follower.compare()).isAgreed, false);
  });
});

/** Keeps the documents of the site in memory. */
class MemoryTarget implements FollowTarget {
  readonly #tables = new Map<string, Map<string, { document: RemoteRow; isChanged: boolean }>>();

  rows(doctype: string): RemoteRow[] {
    return [...this.#table(doctype).values()].map(({ document }) => document).sort(byNameOf);
  }

  document(doctype: string, name: string): RemoteRow | undefined {
    return this.#table(doctype).get(name)?.document;
  }

  changeHere(doctype: string, name: string): void {
    const stored = this.#table(doctype).get(name);
    if (stored) stored.isChanged = true;
  }

  async apply(doctype: string, documents: readonly RemoteRow[]) {
    const conflicts = documents
      .map(({ name }) => String(name))
      .filter((name) => this.#isChanged(doctype, name));
    for (const document of documents) {
      const name = String(document['name']);
      if (!conflicts.includes(name)) this.#table(doctype).set(name, { document, isChanged: false });
    }
    return { stored: documents.length - conflicts.length, failed: 0, conflicts };
  }

  async compare(doctype: string, rows: readonly RemoteRow[]) {
    const names = rows.map(({ name }) => String(name));
    const isHere = (name: string) => this.document(doctype, name) !== undefined;
    const stale = rows.filter(
      ({ name, modified }) => this.document(doctype, String(name))?.['modified'] !== modified,
    );
    return {
      missing: names.filter((name) => !isHere(name)),
      stale: stale
        .map(({ name }) => String(name))
        .filter((name) => isHere(name) && !this.#isChanged(doctype, name)),
      conflicts: names.filter((name) => this.#isChanged(doctype, name)),
    };
  }

  async known(doctype: string, keys: readonly string[]) {
    return keys.filter((key) => this.#table(doctype).has(key));
  }

  async count(doctype: string) {
    return this.#table(doctype).size;
  }

  async *keys(doctype: string) {
    yield [...this.#table(doctype).keys()];
  }

  async remove(doctype: string, keys: readonly string[]) {
    for (const key of keys) this.#table(doctype).delete(key);
    const links = this.rows('Link').filter(({ note }) => doctype === 'Note' && keys.includes(String(note)));
    const referrers = new Map([['Link', links.map(({ name }) => String(name))]]);
    return { removed: keys.length, conflicts: [], referrers };
  }

  #isChanged(doctype: string, name: string): boolean {
    return this.#table(doctype).get(name)?.isChanged === true;
  }

  #table(doctype: string) {
    const table = this.#tables.get(doctype) ?? new Map<string, { document: RemoteRow; isChanged: boolean }>();
    this.#tables.set(doctype, table);
    return table;
  }
}

function byNameOf(one: RemoteRow, other: RemoteRow): number {
  return String(one['name']) < String(other['name']) ? -1 : 1;
}

/** So many seconds after the start. */
function at(seconds: number): string {
  return `${new Date(Date.UTC(2026, 2, 1, 10) + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')}.000001`;
}
