import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DocStore } from './doc-store.ts';
import type { Values } from './doc-values.ts';

const INVOICE = {
  name: 'INV-1',
  title: 'One',
  total: 5,
  items: [
    { name: 'r1', item: 'Pen', qty: 1 },
    { name: 'r2', item: 'Ink', qty: 2 },
  ],
};

function open(doc: Values = INVOICE, now: () => number = () => 0): DocStore {
  return new DocStore(doc, { tables: ['items'], now });
}

describe('a document while it is edited', () => {
  test('sends nothing without changes, and otherwise only changed fields', () => {
    const store = open();
    assert.deepEqual(store.diff(), {});
    store.set('title', 'Two');
    assert.deepEqual(store.diff(), { title: 'Two' });
    store.set('total', '');
    assert.deepEqual(store.diff(), { title: 'Two', total: null });
  });

  test('is not dirty while it equals the stored document, empty values included', () => {
    const store = open();
    store.set('title', 'x');
    store.set('title', 'One');
    store.set('note', '');
    store.set('other', null);
    assert.equal(store.isDirty, false);
  });

  test('sends a table complete and in order, with names of stored rows and without keys', () => {
    const store = open();
    store.set('items[1].qty', 7);
    store.addRow('items', { item: 'Cap' });
    store.moveRow('items', 2, 0);
    assert.deepEqual(store.diff(), {
      items: [{ item: 'Cap' }, { name: 'r1', item: 'Pen', qty: 1 }, { name: 'r2', item: 'Ink', qty: 7 }],
    });
  });

  test('an untouched new row is not a change, and is not sent', () => {
    const store = open();
    store.addRow('items', {}, 1);
    store.set('items[1].qty', 5);
    store.set('items[1].qty', null);
    store.addRow('items');
    assert.equal(store.isDirty, false);
    store.set('items[3].item', 'Cap');
    store.dropUnwritten();
    assert.equal(store.rows('items').length, 3);
    assert.deepEqual(store.diff(), {
      items: [{ name: 'r1', item: 'Pen', qty: 1 }, { name: 'r2', item: 'Ink', qty: 2 }, { item: 'Cap' }],
    });
  });

  test('a copy of a row is a new row', () => {
    const store = open();
    assert.equal(store.duplicateRow('items', 0), 1);
    assert.deepEqual((store.diff()['items'] as Values[])[1], { item: 'Pen', qty: 1 });
  });

  test('notifies only the listeners of the path', () => {
    const store = open();
    const told: string[] = [];
    for (const path of [
      '',
      'title',
      'total',
      'items',
      'items[0]',
      'items[0].qty',
      'items[0].item',
      'items[1].qty',
      'items.qty',
      'items.item',
    ])
      store.subscribe(path, () => told.push(path));
    store.set('title', 'x');
    assert.deepEqual(told.splice(0), ['', 'title']);
    store.set('items[0].qty', 9);
    assert.deepEqual(told.splice(0).sort(), ['', 'items.qty', 'items[0]', 'items[0].qty']);
    store.set('items[0].qty', 9);
    assert.deepEqual(told.splice(0), []);
    store.removeRow('items', 0);
    const all = [
      '',
      'items',
      'items.item',
      'items.qty',
      'items[0]',
      'items[0].item',
      'items[0].qty',
      'items[1].qty',
    ];
    assert.deepEqual(told.splice(0).sort(), all);
  });

  test('a batch notifies once and is one undo step', () => {
    const store = open();
    let told = 0;
    store.subscribe('title', () => {
      told += 1;
    });
    store.batch(() => {
      store.set('title', 'a');
      store.set('title', 'b');
      store.set('total', 1);
    });
    assert.equal(told, 1);
    store.undo();
    assert.equal(store.isDirty, false);
    assert.equal(store.canUndo, false);
  });

  test('typing without a pause is one undo step', () => {
    let at = 0;
    const store = open(INVOICE, () => at);
    for (const text of ['O', 'On', 'One!']) {
      store.set('title', text);
      at += 200;
    }
    at += 5_000;
    store.set('title', 'One!!');
    store.undo();
    assert.equal(store.get('title'), 'One!');
    store.undo();
    assert.equal(store.get('title'), 'One');
    store.redo();
    assert.equal(store.get('title'), 'One!');
  });

  test('an error moves with its row, and disappears when the cell changes', () => {
    const store = open();
    store.setErrors([
      { path: 'items[1].qty', message: 'too many' },
      { path: 'title', message: 'too long' },
      { path: 'title', message: 'too loud' },
    ]);
    store.moveRow('items', 1, 0);
    assert.equal(store.errorAt('items[0].qty'), 'too many');
    assert.equal(store.errorAt('items[1].qty'), null);
    assert.deepEqual(store.errors(), [
      { path: 'items[0].qty', message: 'too many' },
      { path: 'title', message: 'too long\ntoo loud' },
    ]);
    store.set('items[0].item', 'Nib');
    assert.equal(store.errorAt('items[0].qty'), 'too many');
    store.set('items[0].qty', 1);
    store.set('title', 'x');
    assert.deepEqual(store.errors(), []);
  });

  test('removing a row removes its error', () => {
    const store = open();
    store.setErrors([{ path: 'items[1].qty', message: 'too many' }]);
    store.removeRow('items', 0);
    assert.equal(store.errorAt('items[0].qty'), 'too many');
    store.removeRow('items', 0);
    assert.deepEqual(store.errors(), []);
  });

  test('a save keeps input typed while it was in flight', () => {
    const store = open();
    store.set('title', 'Two');
    const sent = store.snapshot();
    store.set('total', 8);
    store.rebase({ ...INVOICE, title: 'TWO', total: 6 }, { sent });
    assert.equal(store.get('title'), 'TWO');
    assert.deepEqual(store.diff(), { total: 8 });
  });

  test('rows keep their keys after a save', () => {
    const store = open();
    store.addRow('items', { item: 'Cap', qty: 1 });
    const keys = store.rows('items').map((row) => row.key);
    store.rebase({ ...INVOICE, items: [...INVOICE.items, { name: 'r3', item: 'Cap', qty: 1 }] });
    assert.deepEqual(
      store.rows('items').map((row) => row.key),
      keys,
    );
    assert.equal(store.isDirty, false);
  });

  test('a conflict keeps my value where I choose it, and theirs elsewhere', () => {
    const store = open();
    store.set('title', 'mine');
    store.set('total', 1);
    store.rebase({ ...INVOICE, title: 'theirs', total: 2 }, { kept: ['title'] });
    assert.deepEqual(store.diff(), { title: 'mine' });
    assert.equal(store.get('total'), 2);
  });

  test('a new document sends the fields that are set', () => {
    const store = open({ docstatus: 0 });
    store.set('title', 'x');
    store.set('note', '');
    assert.deepEqual(store.whole(), { docstatus: 0, title: 'x' });
  });
});

type Step = (store: DocStore) => void;

const row = fc.nat(4);
const value = fc.oneof(fc.string({ maxLength: 3 }), fc.integer(), fc.constant(null), fc.constant(''));
const field = fc.constantFrom('title', 'total', 'note');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(field, value).map(
    ([name, one]): Step =>
      (store) =>
        store.set(name, one),
  ),
  fc.tuple(row, value).map(
    ([at, one]): Step =>
      (store) =>
        store.set(`items[${at}].qty`, one),
  ),
  fc.tuple(row, value).map(
    ([at, qty]): Step =>
      (store) =>
        void store.addRow('items', { qty }, Math.min(at, store.rows('items').length)),
  ),
  row.map(
    (at): Step =>
      (store) =>
        store.removeRow('items', at),
  ),
  fc.tuple(row, row).map(
    ([from, to]): Step =>
      (store) =>
        store.moveRow('items', from, to),
  ),
  row.map(
    (at): Step =>
      (store) =>
        void store.duplicateRow('items', at),
  ),
  fc.array(value, { maxLength: 3 }).map(
    (all): Step =>
      (store) =>
        store.replaceRows(
          'items',
          all.map((qty) => ({ qty })),
        ),
  ),
  fc.tuple(field, row, value).map(
    ([name, at, one]): Step =>
      (store) =>
        store.batch(() => {
          store.set(name, one);
          store.set(`items[${at}].item`, one);
        }),
  ),
);
const steps = fc.array(step, { maxLength: 30 });

describe('whatever is done to a document', () => {
  test('undoing all steps restores the stored document, redoing all restores the edits', () => {
    fc.assert(
      fc.property(steps, (all) => {
        // The clock jumps between changes, so that each is a separate step.
        let at = 0;
        const store = open(INVOICE, () => (at += 10_000));
        const before = store.document();
        for (const one of all) one(store);
        const after = store.document();
        const sent = store.diff();
        while (store.canUndo) store.undo();
        assert.deepEqual(shown(store.document()), shown(before));
        assert.equal(store.isDirty, false);
        while (store.canRedo) store.redo();
        assert.deepEqual(shown(store.document()), shown(after));
        assert.deepEqual(store.diff(), sent);
      }),
    );
  });

  test('sending the changes gives the server the same document', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const store = open();
        for (const one of all) one(store);
        store.dropUnwritten();
        const stored = { ...plain(open()), ...store.diff() };
        assert.deepEqual(shown(stored), shown(plain(store)));
      }),
    );
  });

  test('exactly the listeners of changed values are notified', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const store = open();
        const paths = [
          'title',
          'total',
          'note',
          ...[0, 1, 2, 3].flatMap((at) => [`items[${at}].qty`, `items[${at}].item`]),
        ];
        const told = new Set<string>();
        for (const path of paths) store.subscribe(path, () => told.add(path));
        for (const one of all) {
          told.clear();
          const before = paths.map((path) => store.get(path));
          const keys = store
            .rows('items')
            .map(({ key }) => key)
            .join();
          one(store);
          const isMoved =
            keys !==
            store
              .rows('items')
              .map(({ key }) => key)
              .join();
          for (const [at, path] of paths.entries()) {
            const isChanged = !Object.is(before[at], store.get(path));
            if (isChanged) assert.ok(told.has(path), path);
            // After rows moved, listeners of every path in the table are notified.
            else if (!isMoved || !path.includes('[')) assert.ok(!told.has(path), path);
          }
        }
      }),
    );
  });
});

function plain(store: DocStore): Values {
  return { ...store.document() };
}

// Treats all unset values as equal, in rows too.
function shown(doc: Values): unknown {
  return JSON.parse(JSON.stringify(doc, (_, one: unknown) => (one === '' || one === null ? undefined : one)));
}
