/** What `frappe.client.*` takes and answers. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

describeEither('methods', { apps: [notes], users: { reader: ['Note Reader'] } }, (site) => {
  before(async () => {
    for (const [name, fields] of Object.entries({
      alpha: { title: 'Alpha', pages: 1, lines: [{ text: 'one' }, { text: 'two' }] },
      beta: { title: 'Beta', pages: 2 },
      gamma: { title: 'Gamma', pages: 3 },
    })) {
      const made = await call('insert', { doc: { doctype: 'Note', name, ...fields } });
      assert.equal(made.status, 200, made.text);
    }
  });

  function call(method: string, args: Record<string, unknown>, as?: string | null): Promise<TestReply> {
    return site.request('POST', `/api/method/frappe.client.${method}`, { body: args, as });
  }
  function query(method: string, args: Record<string, string>): Promise<TestReply> {
    return site.request('GET', `/api/method/frappe.client.${method}?${new URLSearchParams(args)}`);
  }
  async function message(reply: Promise<TestReply>): Promise<unknown> {
    const { status, body, text } = await reply;
    assert.equal(status, 200, text);
    return body.message;
  }
  const note = (name: string, fields: Record<string, unknown> = {}) => ({
    doctype: 'Note',
    name,
    title: 'T',
    ...fields,
  });

  test('get_list: real JSON by POST, JSON text by GET, page sizes by all their names', async () => {
    const expected = [
      { name: 'gamma', pages: 3 },
      { name: 'beta', pages: 2 },
    ];
    const args = {
      doctype: 'Note',
      fields: ['name', 'pages'],
      filters: { pages: ['>', 1] },
      order_by: 'pages desc',
    };
    assert.deepEqual(await message(call('get_list', { ...args, debug: 0 })), expected);
    assert.deepEqual(
      await message(
        query('get_list', {
          ...args,
          fields: '["name","pages"]',
          filters: '[["pages",">",1]]',
          as_dict: 'true',
        }),
      ),
      expected,
    );
    const one = [expected[1]];
    for (const page of [
      { limit_start: 1, limit_page_length: 1 },
      { start: 1, limit: 1, limit_start: 1, limit_page_length: 1 },
      { start: 1, page_length: 1 },
    ]) {
      assert.deepEqual(await message(call('get_list', { ...args, ...page })), one);
    }
  });

  test('get_count counts what the caller may list', async () => {
    assert.equal(await message(query('get_count', { doctype: 'Note', filters: '{}' })), 3);
    assert.equal(await message(call('get_count', { doctype: 'Note', filters: { pages: 2 } })), 1);
    const outsider = await site.createUser('outsider@example.com', []);
    assertEnvelope(await call('get_count', { doctype: 'Note' }, outsider), 'PermissionError');
    assertEnvelope(await call('get_count', { doctype: 'Note' }, null), 'PermissionError');
  });

  test('get: by name or by filters, whole, with nulls', async () => {
    const doc = (await message(query('get', { doctype: 'Note', name: 'alpha' }))) as Record<string, unknown>;
    assert.partialDeepStrictEqual(doc, { name: 'alpha', title: 'Alpha', body: null });
    assert.match(String(doc.modified), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.equal((doc.lines as unknown[]).length, 2);
    assert.deepEqual(await message(call('get', { doctype: 'Note', filters: { title: 'Alpha' } })), doc);
    assertEnvelope(await call('get', { doctype: 'Note', filters: { title: 'None' } }), 'DoesNotExistError');
    assertEnvelope(await call('get', { doctype: 'Note', name: 'absent' }), 'DoesNotExistError');
    assertEnvelope(await call('get', { doctype: 'Note' }), 'ValidationError');
  });

  test('get_value: filters, name, several fields, nothing found, plain values', async () => {
    const base = { doctype: 'Note' };
    const value = (args: Record<string, unknown>) => message(call('get_value', { ...base, ...args }));
    assert.deepEqual(await value({ fieldname: 'title', filters: { pages: 2 } }), { title: 'Beta' });
    assert.deepEqual(await value({ fieldname: 'title', filters: 'beta' }), { title: 'Beta' });
    assert.deepEqual(await value({ fieldname: '["title","pages"]', filters: 'beta' }), {
      title: 'Beta',
      pages: 2,
    });
    assert.deepEqual(await value({ fieldname: ['title'], filters: '{"name":"beta"}' }), { title: 'Beta' });
    assert.deepEqual(await value({ fieldname: 'title', filters: 'absent' }), {});
    for (const as_dict of ['False', 'false', '0']) {
      assert.deepEqual(await value({ fieldname: 'title', filters: 'beta', as_dict }), ['Beta']);
      assert.deepEqual(await value({ fieldname: 'title', filters: 'absent', as_dict }), {});
    }
    for (const as_dict of [false, 0]) {
      assert.equal(await value({ fieldname: 'title', filters: 'beta', as_dict }), 'Beta');
      assert.equal(await value({ fieldname: 'title', filters: 'absent', as_dict }), undefined);
    }
    assert.deepEqual(await value({ fieldname: ['title', 'pages'], filters: 'beta', as_dict: false }), [
      'Beta',
      2,
    ]);
    assert.deepEqual(
      await message(query('get_value', { doctype: 'Note', fieldname: 'title', filters: 'beta' })),
      { title: 'Beta' },
    );
    assertEnvelope(await call('get_value', { ...base, fieldname: 'nope', filters: 'beta' }), 'DataError');
    assertEnvelope(
      await call('get_value', { ...base, fieldname: 'grade', filters: 'beta' }, 'reader'),
      'DataError',
    );
  });

  test('set_value: one field, several, a whole document as a page sends it', async () => {
    await message(call('insert', { doc: note('set') }));
    const set = (args: Record<string, unknown>) =>
      call('set_value', { doctype: 'Note', name: 'set', ...args });
    assert.partialDeepStrictEqual(await message(set({ fieldname: 'pages', value: 4 })), {
      name: 'set',
      pages: 4,
    });
    assert.partialDeepStrictEqual(await message(set({ fieldname: '{"pages":5,"title":"U"}' })), {
      pages: 5,
      title: 'U',
    });
    // Without a value the field is cleared, which this one forbids.
    assertEnvelope(await set({ fieldname: 'title' }), 'MandatoryError');
    const doc = (await message(query('get', { doctype: 'Note', name: 'set' }))) as Record<string, unknown>;
    const { name: _name, doctype: _doctype, ...rest } = doc;
    const whole = await message(
      set({ fieldname: { ...rest, owner: 'x', pages: 6, lines: [{ text: 'new' }] } }),
    );
    assert.partialDeepStrictEqual(whole, { pages: 6, owner: 'Administrator', lines: [{ text: 'new' }] });
    assertEnvelope(
      await set({ fieldname: { pages: 7, modified: '2001-01-01 00:00:00' } }),
      'TimestampMismatchError',
    );
    for (const fieldname of ['owner', 'name', 'docstatus', 'modified']) {
      assertEnvelope(await set({ fieldname, value: 'x' }), 'ValidationError');
    }
    assertEnvelope(
      await call('set_value', { doctype: 'Note', name: 'set', fieldname: 'pages', value: 1 }, 'reader'),
      'PermissionError',
    );
  });

  test('a child row is set and inserted through its parent', async () => {
    const made = (await message(
      call('insert', {
        doc: note('rows', {
          lines: [
            { text: 'a', weight: 1 },
            { text: 'b', weight: 2 },
          ],
        }),
      }),
    )) as { lines: { name: string }[] };
    const second = made.lines[1]?.name;
    const set = await message(
      call('set_value', {
        doctype: 'Note Line',
        name: second,
        fieldname: 'weight',
        value: 9,
        parent: 'Note',
      }),
    );
    assert.partialDeepStrictEqual(set, {
      name: 'rows',
      lines: [
        { text: 'a', weight: 1 },
        { name: second, text: 'b', weight: 9 },
      ],
    });
    const row = { doctype: 'Note Line', parenttype: 'Note', parentfield: 'lines', parent: 'rows', text: 'c' };
    const grown = await message(call('insert', { doc: row }));
    assert.partialDeepStrictEqual(grown, { name: 'rows', doctype: 'Note' });
    assert.deepEqual(
      (grown as { lines: { text: string }[] }).lines.map((line) => line.text),
      ['a', 'b', 'c'],
    );
    assertEnvelope(await call('insert', { doc: { ...row, parentfield: 'title' } }), 'ValidationError');
    assertEnvelope(await call('insert', { doc: { doctype: 'Note Line', text: 'x' } }), 'ValidationError');
    assertEnvelope(await call('insert', { doc: row }, 'reader'), 'PermissionError');
  });

  test('insert takes an object or JSON text; insert_many is all or nothing', async () => {
    assert.partialDeepStrictEqual(await message(call('insert', { doc: JSON.stringify(note('text')) })), {
      name: 'text',
      body: null,
    });
    const docs = [note('many1'), note('many2')];
    assert.deepEqual(await message(call('insert_many', { docs: JSON.stringify(docs) })), ['many1', 'many2']);
    assertEnvelope(
      await call('insert_many', { docs: [note('many3'), note('many1')] }),
      'DuplicateEntryError',
    );
    assertEnvelope(await call('get', { doctype: 'Note', name: 'many3' }), 'DoesNotExistError');
    const tooMany = Array.from({ length: 201 }, (_, index) => note(`too${index}`));
    assertEnvelope(await call('insert_many', { docs: tooMany }), 'ValidationError');
    for (const docs of ['x', {}, [1], null]) {
      assertEnvelope(await call('insert_many', { docs }), 'ValidationError');
    }
  });

  test('save, submit, cancel, also under the name that the Python client uses', async () => {
    await message(call('insert', { doc: note('life') }));
    assert.partialDeepStrictEqual(await message(call('save', { doc: note('life', { pages: 8 }) })), {
      pages: 8,
    });
    const doc = await message(query('get', { doctype: 'Note', name: 'life' }));
    assert.partialDeepStrictEqual(await message(call('submit', { doc: JSON.stringify(doc) })), {
      docstatus: 1,
      pages: 8,
    });
    assert.partialDeepStrictEqual(await message(call('cancel', { doctype: 'Note', name: 'life' })), {
      docstatus: 2,
    });
    await message(call('insert', { doc: note('life2') }));
    assert.partialDeepStrictEqual(await message(call('submit', { doclist: JSON.stringify(note('life2')) })), {
      docstatus: 1,
    });
  });

  test('delete answers nothing, rename_doc the new name', async () => {
    await message(call('insert', { doc: note('old') }));
    assert.equal(
      await message(call('rename_doc', { doctype: 'Note', old_name: 'old', new_name: 'new' })),
      'new',
    );
    assertEnvelope(
      await call('rename_doc', { doctype: 'Note', old_name: 'new', new_name: 'alpha', merge: 0 }),
      'ValidationError',
    );
    await message(call('insert', { doc: note('merged') }));
    assert.equal(
      await message(call('rename_doc', { doctype: 'Note', old_name: 'merged', new_name: 'new', merge: 1 })),
      'new',
    );
    assertEnvelope(await call('get', { doctype: 'Note', name: 'merged' }), 'DoesNotExistError');
    const removed = await call('delete', { doctype: 'Note', name: 'new' });
    assert.deepEqual([removed.status, removed.body], [200, {}]);
    assertEnvelope(await call('delete', { doctype: 'Note', name: 'new' }), 'DoesNotExistError');
    assertEnvelope(await call('delete', { doctype: 'Note', name: 'alpha' }, 'reader'), 'PermissionError');
  });

  test('get_single_value refuses what is not single', async () => {
    assertEnvelope(await call('get_single_value', { doctype: 'Note', field: 'title' }), 'ValidationError');
  });

  test('missing or wrong arguments are 417, an unknown doctype 404', async () => {
    const methods = [
      'get_list',
      'get_count',
      'get',
      'get_value',
      'set_value',
      'insert',
      'insert_many',
      'save',
    ];
    for (const method of [...methods, 'submit', 'cancel', 'delete', 'rename_doc', 'get_single_value']) {
      for (const args of [
        {},
        { doctype: ['Note'] },
        { doctype: '' },
        { doc: [], docs: {} },
        { doctype: { a: 1 } },
      ]) {
        assertEnvelope(await call(method, args), 'ValidationError');
      }
    }
    for (const method of ['get_list', 'get_count', 'get', 'get_value', 'cancel', 'delete']) {
      assertEnvelope(await call(method, { doctype: 'Nonsense', name: 'x' }), 'DoesNotExistError');
    }
  });

  test('writing methods refuse GET with 405 and what they allow', async () => {
    for (const method of ['insert', 'set_value', 'save', 'submit', 'cancel', 'rename_doc', 'delete']) {
      const reply = await query(method, { doctype: 'Note', name: 'alpha' });
      assertEnvelope(reply, 'MethodNotAllowedError');
      assert.match(reply.headers.get('allow') ?? '', /^POST, /);
    }
  });
});
