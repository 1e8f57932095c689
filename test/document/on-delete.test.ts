/** `on_delete` of links: what a deletion does to the documents that link to the deleted one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CurrentUser, currentUser } from '../../src/access/user.ts';
import type { OnDelete } from '../../src/doctype/doctype.ts';
import { parseDoctype } from '../../src/doctype/parse-doctype.ts';
import { rowsOf } from '../../src/document/document.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { linkedDocuments } from '../../src/document/verbs/linked-documents.ts';
import { readDocument } from '../../src/document/verbs/read.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import type { ErrorType } from '../../src/kernel/errors.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite, STAFF } from '../support/memory-site.ts';

const MODES: readonly OnDelete[] = ['block', 'empty', 'cascade'];
const ALL = { read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1, amend: 1 };

const link = (fieldname: string, options: string, on_delete: OnDelete, more: object = {}) => ({
  fieldname,
  fieldtype: 'Link',
  options,
  on_delete,
  ...more,
});
const anyLink = (fieldname: string, on_delete: OnDelete) => ({
  fieldname,
  fieldtype: 'Dynamic Link',
  options: 'kind',
  on_delete,
});
const data = (fieldname: string) => ({ fieldname, fieldtype: 'Data' });

const IF_STRICT = { mandatory_depends_on: 'strict', enforce_on_server: 1 };

const DOCTYPES = [
  { name: 'Thing', autoname: 'Prompt', fields: [data('title')] },
  {
    name: 'Row',
    istable: 1,
    fields: [
      data('kind'),
      ...MODES.flatMap((mode) => [link(mode, 'Thing', mode), anyLink(`any_${mode}`, mode)]),
    ],
  },
  {
    name: 'Holder',
    autoname: 'Prompt',
    is_submittable: 1,
    permissions: [
      { role: 'Staff', ...ALL },
      { role: 'Reader', read: 1 },
    ],
    fields: [
      data('kind'),
      ...MODES.flatMap((mode) => [
        link(mode, 'Thing', mode),
        anyLink(`any_${mode}`, mode),
        link(`hidden_${mode}`, 'Thing', mode, { permlevel: 1 }),
      ]),
      { fieldname: 'rows', fieldtype: 'Table', options: 'Row' },
    ],
  },
  {
    name: 'Node',
    autoname: 'Prompt',
    is_tree: 1,
    nsm_parent_field: 'parent_node',
    fields: [link('parent_node', 'Node', 'cascade')],
  },
  {
    name: 'Ring',
    autoname: 'Prompt',
    fields: [
      link('next', 'Ring', 'cascade'),
      link('guard', 'Ring', 'block'),
      link('thing', 'Thing', 'cascade'),
    ],
  },
  {
    name: 'Secret',
    autoname: 'Prompt',
    permissions: [{ role: 'Boss', read: 1, write: 1, create: 1, delete: 1 }],
    fields: MODES.map((mode) => link(mode, 'Thing', mode)),
  },
  {
    name: 'Sheet',
    autoname: 'Prompt',
    fields: [{ fieldname: 'rows', fieldtype: 'Table', options: 'Row', reqd: 1 }],
  },
  { name: 'Pick', istable: 1, fields: [link('thing', 'Thing', 'empty')] },
  {
    name: 'Plan',
    autoname: 'Prompt',
    fields: [
      { fieldname: 'picks', fieldtype: 'Table MultiSelect', options: 'Pick' },
      { fieldname: 'strict', fieldtype: 'Check' },
      ...['main', 'other'].map((name) => link(name, 'Thing', 'empty', IF_STRICT)),
      { ...data('title'), fetch_from: 'kind_of.title', ...IF_STRICT },
      link('kind_of', 'Thing', 'empty'),
    ],
  },
].map((one) =>
  one.name === 'Thing'
    ? {
        ...one,
        permissions: [
          { role: 'Staff', ...ALL, submit: 0, cancel: 0, amend: 0 },
          { role: 'Reader', read: 1, delete: 1 },
        ],
      }
    : one,
);

const READER = currentUser('reader@example.com', ['Reader']);
const BOSS = currentUser('boss@example.com', ['Staff', 'Boss']);

/** Where the link is, and the fields of a Holder with it. */
const PLACES: Readonly<Record<string, (mode: OnDelete, thing: string) => Record<string, unknown>>> = {
  'a Link': (mode, thing) => ({ [mode]: thing }),
  'a hidden Link': (mode, thing) => ({ [`hidden_${mode}`]: thing }),
  'a Dynamic Link': (mode, thing) => ({ kind: 'Thing', [`any_${mode}`]: thing }),
  'a Link in rows': (mode, thing) => ({ rows: [{}, { [mode]: thing }, {}] }),
  'a Dynamic Link in rows': (mode, thing) => ({ rows: [{}, { kind: 'Thing', [`any_${mode}`]: thing }, {}] }),
};

describeEither('on_delete', memorySite({ doctypes: DOCTYPES }), (site) => {
  let made = 0;
  const create = (doctype: string, fields: Record<string, unknown>, user = BOSS) =>
    site.run((ctx) => createDocument(ctx, doctype, fields), user);
  const fresh = async (doctype: string, fields: Record<string, unknown> = {}) => {
    made += 1;
    return (await create(doctype, { name: `${doctype}-${1000 + made}`, ...fields })).name;
  };
  const change = (doctype: string, name: string, fields: Record<string, unknown>) =>
    site.run((ctx) => updateDocument(ctx, doctype, name, fields));
  const remove = (doctype: string, name: string, user: CurrentUser = STAFF) =>
    site.run((ctx) => deleteDocument(ctx, doctype, name), user);
  const read = (doctype: string, name: string) =>
    site.run((ctx) => readDocument(ctx, doctype, name), { ...BOSS, isAdministrator: true });
  const isThere = (doctype: string, name: string) =>
    read(doctype, name).then(
      () => true,
      () => false,
    );
  const effects = async (thing: string, user: CurrentUser = STAFF) => {
    const found = await site.run((ctx) => linkedDocuments(ctx, 'Thing', thing), user);
    return found.flatMap(({ first }) => first.map(({ effect }) => effect));
  };
  const administrator = { ...BOSS, isAdministrator: true };

  for (const [place, fieldsOf] of Object.entries(PLACES)) {
    const isRow = place.endsWith('rows');
    const isHidden = place === 'a hidden Link';
    const isDynamic = place.startsWith('a Dynamic');
    for (const mode of MODES) {
      const isDeleted = mode === 'cascade' && !isRow;
      const effect = mode === 'block' ? 'blocks' : isDeleted ? 'deleted' : 'emptied';

      test(`${place} with ${mode}: ${effect}`, async () => {
        const thing = await fresh('Thing');
        made += 1;
        const { name, modified } = await create(
          'Holder',
          { name: `Holder-${made}`, ...fieldsOf(mode, thing) },
          administrator,
        );
        assert.deepEqual(await effects(thing), isHidden ? [] : [effect]);
        assert.deepEqual(await effects(thing, administrator), [effect]);
        site.events.length = 0;
        if (mode === 'block') {
          const error = await refused(remove('Thing', thing), 'LinkExistsError');
          assert.equal(error.message.includes(name), !isHidden);
          assert.deepEqual(site.events, []);
          return;
        }
        await remove('Thing', thing);
        const changed = [`Holder.on_update ${name}`, `Holder.on_change ${name}`];
        const events = isDeleted ? [`Holder.on_trash ${name}`] : changed;
        assert.deepEqual(site.events, [...events, `Thing.on_trash ${thing}`]);
        assert.equal(await isThere('Holder', name), !isDeleted);
        if (isDeleted) return;
        const after = await read('Holder', name);
        assert.ok(after.modified > modified);
        assert.equal(JSON.stringify(after).includes(`"${thing}"`), false);
        const idxs = rowsOf(after, 'rows').map(({ idx }) => idx);
        assert.deepEqual(idxs, !isRow ? [] : mode === 'cascade' ? [1, 2] : [1, 2, 3]);
      });

      test(`${place} with ${mode} in a submitted document blocks; in a cancelled one as documented`, async () => {
        const thing = await fresh('Thing');
        made += 1;
        const fields = { name: `Holder-${made}`, docstatus: 1, ...fieldsOf(mode, thing) };
        const { name } = await create('Holder', fields, administrator);
        assert.deepEqual(await effects(thing, administrator), ['blocks']);
        const error = await refused(remove('Thing', thing), 'LinkExistsError');
        assert.equal(error.message.includes(name), !isHidden);
        await change('Holder', name, { docstatus: 2 });
        const then = isDeleted ? 'deleted' : isDynamic ? 'unaffected' : 'blocks';
        assert.deepEqual(await effects(thing, administrator), [then]);
        if (then === 'blocks') await refused(remove('Thing', thing), 'LinkExistsError');
        else await remove('Thing', thing);
        assert.equal(await isThere('Holder', name), then !== 'deleted');
      });
    }
  }

  const WITHOUT_RIGHT: readonly (readonly [string, OnDelete, string, ErrorType])[] = [
    ['a readable document', 'block', 'Holder', 'LinkExistsError'],
    ['a readable document', 'empty', 'Holder', 'PermissionError'],
    ['a readable document', 'cascade', 'Holder', 'PermissionError'],
    ['an unreadable document', 'block', 'Secret', 'LinkExistsError'],
    ['an unreadable document', 'empty', 'Secret', 'LinkExistsError'],
    ['an unreadable document', 'cascade', 'Secret', 'LinkExistsError'],
  ];
  for (const [what, mode, doctype, error] of WITHOUT_RIGHT) {
    test(`${what} that the user may not change, with ${mode}: ${error}, and nothing happens`, async () => {
      const thing = await fresh('Thing');
      const other = await fresh('Secret', { cascade: thing });
      const name = await fresh(doctype, { [mode]: thing });
      if (doctype === 'Holder') await remove('Secret', other, BOSS);
      assert.deepEqual(await effects(thing, READER), doctype === 'Holder' ? ['blocks'] : []);
      site.events.length = 0;
      const { message } = await refused(remove('Thing', thing, READER), error);
      assert.equal(message.includes(name), doctype === 'Holder');
      assert.equal(message.includes('Secret'), false);
      assert.deepEqual(site.events, []);
    });
  }

  test('every kind of hidden link that a user may not follow is refused alike', async () => {
    const messages = new Set<string>();
    for (const mode of MODES) {
      for (const fields of [{ [`hidden_${mode}`]: 1 }, { [`hidden_${mode}`]: 12 }]) {
        const thing = await fresh('Thing');
        for (const [fieldname, count] of Object.entries(fields)) {
          for (let at = 0; at < count; at += 1) {
            await create('Holder', { name: `${thing} ${at}`, [fieldname]: thing }, administrator);
          }
        }
        const { message, type } = await refused(remove('Thing', thing, READER), 'LinkExistsError');
        messages.add(`${type} ${message.replace(thing, 'NAME')}`);
      }
    }
    assert.equal(messages.size, 1, [...messages].join('\n'));
  });

  test('a cycle ends, and blocks only from outside', async () => {
    const thing = await fresh('Thing');
    const [one, two, three] = [await fresh('Ring', { thing }), await fresh('Ring'), await fresh('Ring')];
    await change('Ring', one, { next: three });
    await change('Ring', two, { next: one, guard: three });
    await change('Ring', three, { next: two, guard: one });
    const outside = await fresh('Ring', { guard: two });
    const { message } = await refused(remove('Thing', thing), 'LinkExistsError');
    assert.match(message, new RegExp(`Ring ${two} is linked with Ring ${outside}`));
    await remove('Ring', outside);
    await remove('Thing', thing);
    for (const name of [one, two, three]) assert.equal(await isThere('Ring', name), false);
  });

  test('a tree goes with its top', async () => {
    const top = await fresh('Node', { is_group: 1 });
    const middle = await fresh('Node', { is_group: 1, parent_node: top });
    const leaf = await fresh('Node', { parent_node: middle });
    site.events.length = 0;
    await remove('Node', top);
    assert.deepEqual(
      site.events,
      [leaf, middle, top].map((name) => `Node.on_trash ${name}`),
    );
  });

  test('the last row of a mandatory table does not go', async () => {
    const thing = await fresh('Thing');
    const sheet = await fresh('Sheet', { rows: [{ cascade: thing }] });
    assert.deepEqual(await effects(thing), ['blocks']);
    const error = await refused(remove('Thing', thing), 'MandatoryError');
    const [message = ''] = error.details.messages ?? [];
    assert.match(
      message,
      new RegExp(`^Cannot delete Thing ${thing} because of Sheet ${sheet}, .*Data missing`),
    );
    assert.equal(error.details.places, undefined, 'the form shows the Thing');
    await change('Sheet', sheet, { rows: [{ cascade: thing }, { kind: 'kept' }] });
    assert.deepEqual(await effects(thing), ['emptied']);
    await remove('Thing', thing);
    assert.deepEqual(
      rowsOf(await read('Sheet', sheet), 'rows').map(({ kind, idx }) => [kind, idx]),
      [['kept', 1]],
    );
  });

  test('the effect is told with the mandatory values that would be missing', async () => {
    const other = await fresh('Thing', { title: 'other' });
    const cases: readonly (readonly [string, (thing: string) => Record<string, unknown>])[] = [
      ['emptied', (thing) => ({ main: thing, kind_of: thing })],
      ['blocks', (thing) => ({ main: thing, other, kind_of: other, strict: 1 })],
      ['blocks', (thing) => ({ main: other, other, kind_of: thing, strict: 1 })],
      ['blocks', (thing) => ({ picks: [{ thing: other }, { thing }] })],
    ];
    for (const [effect, fieldsOf] of cases) {
      const thing = await fresh('Thing', { title: 'a title' });
      await fresh('Plan', fieldsOf(thing));
      assert.deepEqual(await effects(thing), [effect]);
      if (effect === 'emptied') await remove('Thing', thing);
      else await refused(remove('Thing', thing), 'MandatoryError');
    }
  });

  test('hooks run for each document and may refuse the whole deletion', async () => {
    const thing = await fresh('Thing');
    const emptied = await fresh('Holder', { empty: thing });
    const deleted = await fresh('Holder', { cascade: thing });
    const ran: string[] = [];
    site.controllers.set('Holder', [
      {
        validate: (doc) => void ran.push(`validate ${doc.name} ${doc['empty']}`),
        onTrash: (doc) => {
          ran.push(`onTrash ${doc.name}`);
          if (ran.length === 2) throw new Error('not yet');
        },
      },
    ]);
    await assert.rejects(remove('Thing', thing), /not yet/);
    assert.ok(await isThere('Thing', thing));
    assert.equal((await read('Holder', emptied))['empty'], thing);
    await remove('Thing', thing);
    site.controllers.delete('Holder');
    assert.deepEqual(ran.slice(2), [`validate ${emptied} null`, `onTrash ${deleted}`]);
  });

  test('the number of documents is limited', async () => {
    const thing = await fresh('Thing');
    await site.run(async (ctx) => {
      for (let at = 0; at <= LIMITS.linkedChanges; at += 1) {
        await createDocument(ctx, 'Ring', { name: `${thing} ${at}`, thing });
      }
    });
    await refused(remove('Thing', thing), 'ValidationError', /more than 200 documents would be emptied/);
    assert.ok(await isThere('Ring', `${thing} 0`));
  });

  test('deletions whose documents overlap leave nothing dangling', async () => {
    const [one, two] = [await fresh('Ring'), await fresh('Ring')];
    await change('Ring', one, { next: two });
    await change('Ring', two, { next: one });
    const outcomes = await Promise.allSettled([remove('Ring', one), remove('Ring', two)]);
    assert.ok(outcomes.some(({ status }) => status === 'fulfilled'));
    for (const name of [one, two]) assert.equal(await isThere('Ring', name), false);
  });

  test('a link made during a deletion is refused, or followed', async () => {
    const thing = await fresh('Thing');
    const [removed, created] = await Promise.allSettled([
      remove('Thing', thing),
      fresh('Ring', { name: `late ${thing}`, thing }),
    ]);
    assert.equal(removed.status, 'fulfilled');
    assert.equal(await isThere('Ring', `late ${thing}`), false, created.status);
  });
});

test('a definition refuses an on_delete that could never work', () => {
  const cases: readonly (readonly [object, object, RegExp])[] = [
    [
      link('one', 'Thing', 'empty', { reqd: 1 }),
      {},
      /Field one: on_delete: a mandatory field cannot be emptied/,
    ],
    [link('one', 'Thing', 'empty', { set_only_once: 1 }), {}, /a field that cannot change cannot be emptied/],
    [link('one', 'Thing', 'cascade'), { issingle: 1 }, /a single cannot be deleted/],
    [{ ...data('one'), on_delete: 'empty' }, {}, /Field one: a Data has no on_delete/],
    [link('one', 'Thing', 'delete' as OnDelete), {}, /Field one: on_delete must be block, empty or cascade/],
  ];
  for (const [field, more, problem] of cases) {
    const definition = { name: 'Odd', module: 'Test', permissions: [], ...more, fields: [field] };
    assert.throws(() => parseDoctype(definition), problem);
  }
});
