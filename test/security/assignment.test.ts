/** Nobody sets what the server owns, or what is above their level, by sending more keys. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { describeEitherEngine } from '../support/describe-site.ts';
import { type AssignmentSite, DOORS, type Stored, startAssignment, WIL } from './assignment-site.ts';

const MOMENT = '2001-01-01 00:00:00';
const text = fc.constantFrom<unknown>('x', 'other', 'Administrator', 'Guest', 'Thing', '', null, MOMENT);
const value = fc.oneof(
  text,
  fc.constantFrom<unknown>(0, 1, 2, true, -1, [], {}, ['x'], { isAdministrator: true }),
);
/** What a client has no say in. */
const OWNED = [
  ...['owner', 'creation', 'modified_by', 'idx', 'parent', 'parenttype', 'parentfield', 'doctype', 'name'],
  ...['_revision', 'revision', '_user_tags', '_assign', '_comments', '_liked_by', '_seen'],
  ...[
    'flags',
    'ignore_permissions',
    'ignore_links',
    'ignore_version',
    'ignore_mandatory',
    'system',
    'depth',
    'user',
  ],
  ...['__islocal', '__unsaved', '__onload', '__run_link_triggers', '_action', 'isAdministrator', 'roles'],
  ...['salary', 'told', 'once', 'bonus', 'hidden_rows', 'docstatus', 'amended_from'],
  ...['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'],
];
const poison = fc.constantFrom(
  { constructor: { prototype: { polluted: 1 } } },
  { prototype: { polluted: 1 } },
  [{ constructor: { prototype: { polluted: 1 } } }],
);
const key = fc.constantFrom(...OWNED);
const extras = fc.dictionary(key, fc.oneof(value, poison), { minKeys: 1, maxKeys: 6 });
const sent = fc
  .record({ own: extras, row: extras, title: fc.boolean(), rows: fc.boolean(), kept: fc.boolean() })
  .map(({ own, row, title, rows, kept }) => ({
    kept,
    fields: {
      ...own,
      // To save under another name is to save another document.
      ...(own['name'] === 'other' ? { name: 'x' } : {}),
      ...(title ? { title: 'new' } : {}),
      ...(rows ? { rows: [row] } : {}),
    },
  }));

const OBJECT = Reflect.ownKeys(Object.prototype).length;

function assertUnpolluted(): void {
  assert.equal(Reflect.ownKeys(Object.prototype).length, OBJECT);
  assert.equal(Reflect.get({}, 'polluted'), undefined);
  assert.equal(Reflect.get([], 'polluted'), undefined);
}

const pick = (holder: Readonly<Record<string, unknown>> | undefined, keys: readonly string[]) =>
  Object.fromEntries(keys.map((one) => [one, holder?.[one] ?? null]));
const named = (stored: Stored, name: string) => stored.documents.find((one) => one['name'] === name);
const KEPT = [
  'owner',
  'creation',
  'docstatus',
  'salary',
  'told',
  'once',
  '_user_tags',
  '_assign',
  '_comments',
  '_liked_by',
];

describeEitherEngine('mass assignment', (engine) => {
  let world: AssignmentSite;
  let first: Stored;
  before(async () => {
    world = await startAssignment(engine);
    first = await world.stored();
  });
  after(() => world?.site.stop());

  /** What holds of everything stored, whatever was sent by whichever door. */
  function check(now: Stored, what: string): void {
    for (const doc of now.documents) {
      const { name } = doc;
      const old = named(first, String(name));
      if (old) {
        assert.deepEqual(pick(doc, KEPT), pick(old, KEPT), `${what}: ${name}`);
        assert.ok([0, 1].includes(Number(doc['_revision']) - Number(old['_revision'])), `${what}: revision`);
        assert.ok(['Administrator', WIL].includes(String(doc['modified_by'])), what);
        assert.ok(String(doc['modified']) >= String(old['modified']), `${what}: modified`);
        if (name === 'other') assert.deepEqual({ ...doc }, { ...old }, `${what}: another document`);
      } else {
        const made = pick(doc, [
          'owner',
          'modified_by',
          'docstatus',
          'salary',
          'told',
          '_assign',
          '_liked_by',
        ]);
        const expected = { owner: WIL, modified_by: WIL, docstatus: 0, salary: 7, told: 'told' };
        assert.deepEqual(made, { ...expected, _assign: null, _liked_by: null }, `${what}: ${name}`);
        assert.ok(String(doc['creation']) > '2002', what);
        assert.equal(doc['_revision'], 1, what);
      }
    }
    for (const row of now.rows) {
      assert.ok(named(now, String(row['parent'])), `${what}: a row of nothing`);
      assert.deepEqual(
        pick(row, ['parenttype', 'docstatus', 'bonus', 'told']),
        { parenttype: 'Thing', docstatus: 0, bonus: 7, told: 'told' },
        what,
      );
      assert.ok(['rows', 'hidden_rows'].includes(String(row['parentfield'])), what);
      assert.ok(['Administrator', WIL].includes(String(row['owner'])), what);
      assert.ok(String(row['creation']) > '2002', what);
    }
    const rowsOf = (stored: Stored, parent: string, field: string) =>
      stored.rows
        .filter((row) => row['parent'] === parent && row['parentfield'] === field)
        .map((row) => ({ ...row }));
    assert.deepEqual(rowsOf(now, 'other', 'rows'), rowsOf(first, 'other', 'rows'), what);
    for (const { name } of now.documents) {
      const kept = rowsOf(now, String(name), 'hidden_rows').map(({ note, name: row }) => [row, note]);
      const old = rowsOf(first, String(name), 'hidden_rows').map(({ note, name: row }) => [row, note]);
      assert.deepEqual(kept, old, `${what}: rows above the level`);
    }
    assertUnpolluted();
  }

  test('more keys change nothing of what the server owns, through every door', async () => {
    for (const [what, door] of Object.entries(DOORS)) {
      await fc.assert(
        fc.asyncProperty(sent, async ({ fields, kept }) => {
          // A row may name one of its document, or one that it would take from another.
          const row = first.rows.find((one) => one['parent'] === (kept ? 'mine' : 'other'));
          const rows = fields.rows?.map((one) => ({ name: row?.['name'], ...one }));
          const body = JSON.stringify({ ...fields, ...(rows ? { rows } : {}) });
          const reply = await world.send(door, body);
          try {
            assert.ok(reply.status < 500, `${what} ${body}: ${reply.text}`);
            const now = await world.stored();
            check(now, `${what} ${body}: ${reply.text}`);
            if (reply.status >= 400) assert.deepEqual(now, first, `${what}: refused and changed`);
          } finally {
            await world.reset();
          }
        }),
        { numRuns: 25 },
      );
    }
  });

  test('without extras each door does what it is for', async () => {
    for (const [what, door] of Object.entries(DOORS)) {
      if (/run_doc_method|submit/.test(what)) continue;
      const more = what === 'POST v1, form' ? { name: 'made' } : {};
      const reply = await world.send(door, JSON.stringify({ title: 'new', rows: [{ note: 'n' }], ...more }));
      assert.equal(reply.status, 200, `${what}: ${reply.text}`);
      const now = await world.stored();
      assert.equal(now.documents.filter((one) => one['title'] === 'new').length, 1, what);
      assert.equal(now.documents.length, door.makes === 'changes' ? 2 : 3, what);
      await world.reset();
    }
  });

  test('__proto__ as a key is refused at any depth, through every door', async () => {
    for (const [what, door] of Object.entries(DOORS)) {
      for (const body of [
        '{"title":"x","__proto__":{"polluted":1}}',
        '{"title":"x","rows":[{"__proto__":{"polluted":1}}]}',
        '{"title":"x","flags":{"a":{"\\u005f_proto__":{"polluted":1}}}}',
      ]) {
        const reply = await world.send(door, body);
        // Text that is no JSON of ours is text: the name of a field that there is not, or no document.
        if (what.endsWith('JSON text')) await world.reset();
        else assert.equal(reply.status, 400, `${what} ${body}: ${reply.text}`);
        assert.ok(!reply.text.includes('"x"'), reply.text);
        assertUnpolluted();
      }
    }
    assert.deepEqual(await world.stored(), first);
  });

  test('a standard field by itself is refused by set_value, a name of a prototype sets nothing', async () => {
    for (const fieldname of [
      'owner',
      'creation',
      'docstatus',
      'parent',
      'name',
      'doctype',
      'modified',
      'idx',
    ]) {
      const reply = await world.send(DOORS['save'] ?? never(), '{}');
      assert.equal(reply.status, 200);
      const body = JSON.stringify({ doctype: 'Thing', name: 'mine', fieldname, value: 'x' });
      const refused = await world.send(
        {
          makes: 'changes',
          request: () => ({ verb: 'POST', path: '/api/method/frappe.client.set_value', body }),
        },
        '',
      );
      assert.equal(refused.status, 417, refused.text);
    }
    for (const fieldname of ['constructor', 'prototype', 'toString', 'salary', 'told']) {
      const body = JSON.stringify({ doctype: 'Thing', name: 'mine', fieldname, value: 5 });
      await world.send(
        {
          makes: 'changes',
          request: () => ({ verb: 'POST', path: '/api/method/frappe.client.set_value', body }),
        },
        '',
      );
      const doc = named(await world.stored(), 'mine');
      assert.deepEqual(pick(doc, KEPT), pick(named(first, 'mine'), KEPT), fieldname);
    }
    await world.reset();
  });
});

function never(): never {
  throw new Error('there is no such door');
}
