import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import type { Controller } from '../../src/document/contract.ts';
import type { HookName } from '../../src/document/controller.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { startTestSite, type TestReply } from '../support/site.ts';

const THING = {
  name: 'Thing',
  module: 'Test',
  custom: 1,
  autoname: 'Prompt',
  allow_rename: 1,
  is_submittable: 1,
  fields: [
    { fieldname: 'title', label: 'Title', fieldtype: 'Data', allow_on_submit: 1 },
    { fieldname: 'parts', label: 'Parts', fieldtype: 'Table', options: 'Thing Part' },
  ],
  permissions: [
    { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1, amend: 1 },
  ],
};
const PART = {
  name: 'Thing Part',
  module: 'Test',
  custom: 1,
  istable: 1,
  fields: [{ fieldname: 'part', label: 'Part', fieldtype: 'Data' }],
};
const TRACE = {
  name: 'Trace',
  module: 'Test',
  custom: 1,
  fields: [{ fieldname: 'note', label: 'Note', fieldtype: 'Data' }],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }],
};

/** Each hook, and a request in which it runs on a document with this docstatus. */
const RUNS: readonly (readonly [HookName, docstatus: number | null, request: string])[] = [
  ['beforeInsert', null, 'create'],
  ['beforeValidate', null, 'create'],
  ['validate', 0, 'update'],
  ['beforeSave', 0, 'update'],
  ['beforeSubmit', 0, 'submit'],
  ['beforeCancel', 1, 'cancel'],
  ['beforeUpdateAfterSubmit', 1, 'update'],
  ['afterInsert', null, 'create'],
  ['onUpdate', 0, 'update'],
  ['onSubmit', 0, 'submit'],
  ['onSubmit', null, 'insert and submit'],
  ['onCancel', 1, 'cancel'],
  ['onUpdateAfterSubmit', 1, 'update'],
  ['onTrash', 0, 'delete'],
  ['afterDelete', 2, 'delete'],
  ['beforeRename', 0, 'rename'],
  ['afterRename', 0, 'rename'],
  ['onChange', 0, 'update'],
];

describeEitherEngine('errors of hooks over HTTP', (engine) => {
  const thing: Controller = {};
  const every: Controller = {};
  let count = 0;
  const hooks = { name: 'hooks', controllers: { Thing: thing, '*': every } };
  const site = useStarted(() => startTestSite(engine, { apps: [hooks] }));
  before(async () => {
    for (const definition of [PART, THING, TRACE]) {
      await site.make('DocType', definition);
    }
  });
  beforeEach(() => {
    for (const controller of [thing, every]) {
      for (const hook of Object.keys(controller)) delete controller[hook as HookName];
    }
  });

  const path = (name: string) => `/api/resource/Thing/${encodeURIComponent(name)}`;
  const send = (verb: string, name: string, body?: unknown) => site.request(verb, path(name), { body });

  async function prepare(docstatus: number | null): Promise<string> {
    count += 1;
    const name = `thing ${count}`;
    if (docstatus === null) return name;
    const fields = { name, title: 'before', parts: [{ part: 'A' }], docstatus: Math.min(docstatus, 1) };
    await site.request('POST', '/api/resource/Thing', { body: fields });
    if (docstatus === 2) await send('PUT', name, { docstatus: 2 });
    return name;
  }

  function perform(request: string, name: string): Promise<TestReply> {
    const fields = { title: 'after', parts: [{ part: 'B' }] };
    switch (request) {
      case 'create':
        return site.request('POST', '/api/resource/Thing', { body: { name, ...fields } });
      case 'insert and submit':
        return site.request('POST', '/api/resource/Thing', { body: { name, ...fields, docstatus: 1 } });
      case 'update':
        return send('PUT', name, { title: 'after' });
      case 'submit':
        return send('PUT', name, { ...fields, docstatus: 1 });
      case 'cancel':
        return send('PUT', name, { docstatus: 2 });
      case 'delete':
        return send('DELETE', name);
      default: {
        const body = { doctype: 'Thing', old_name: name, new_name: `${name} renamed` };
        return site.request('POST', '/api/method/frappe.client.rename_doc', { body });
      }
    }
  }

  const traces = async () => await site.ok('GET', '/api/resource/Trace?limit_page_length=0');

  test('thrown in any hook, an error undoes everything and reaches the client in the envelope', async () => {
    for (const [hook, docstatus, request] of RUNS) {
      for (const controller of [thing, every]) {
        const name = await prepare(docstatus);
        const stored = await send('GET', name);
        const tracesBefore = await traces();
        let ran = 0;
        controller[hook] = async (doc, ctx) => {
          if (doc.doctype !== 'Thing') return;
          ran += 1;
          await createDocument(ctx, 'Trace', { note: hook });
          throw new ServiceError('ValidationError', `${hook} says no`, { title: 'Hooked' });
        };
        const reply = await perform(request, name);
        delete controller[hook];
        const where = `${hook} in ${request}`;
        assert.equal(ran, 1, where);
        assert.equal(reply.status, 417, where);
        assert.equal(reply.body.exc_type, 'ValidationError', where);
        const [message] = JSON.parse(reply.body._server_messages);
        assert.partialDeepStrictEqual(JSON.parse(message), { message: `${hook} says no`, title: 'Hooked' });
        const now = await send('GET', name);
        assert.deepEqual([now.status, now.body], [stored.status, stored.body], where);
        assert.equal((await send('GET', `${name} renamed`)).status, 404, where);
        assert.deepEqual(await traces(), tracesBefore, where);
      }
    }
  });

  test('what is not a ServiceError is a bug: 500 without a word of it, and observed', async () => {
    const thrown: readonly unknown[] = [
      new Error('select * from secrets'),
      new TypeError('secrets'),
      'secrets',
      { message: 'secrets', statusCode: 200 },
      Object.assign(new Error('secrets'), { statusCode: 404, code: 'FST_ERR_CTP_BODY_TOO_SMALL' }),
      null,
      undefined,
    ];
    for (const error of thrown) {
      const name = await prepare(0);
      thing.onUpdate = () => {
        throw error;
      };
      const observed = site.observed.length;
      const reply = await perform('update', name);
      delete thing.onUpdate;
      assert.equal(reply.status, 500, String(error));
      assert.equal(reply.body.exc_type, 'InternalServerError');
      assert.doesNotMatch(reply.text, /secrets/);
      const kinds = site.observed.slice(observed).map(({ kind }) => kind);
      assert.ok(kinds.includes('unexpected'), String(error));
      assert.equal((await send('GET', name)).body.data.title, 'before');
    }
  });

  test('saves that call themselves end, and nothing of them stays', async () => {
    const name = await prepare(0);
    let calls = 0;
    thing.onUpdate = async (doc, ctx) => {
      calls += 1;
      await updateDocument(ctx, 'Thing', doc.name, { title: `round ${calls}` });
    };
    const reply = await perform('update', name);
    assert.equal(reply.status, 417, reply.text);
    assert.match(reply.body.exception, /Hooks call each other more than 20 levels deep/);
    assert.equal(calls, 20);
    assert.equal((await send('GET', name)).body.data.title, 'before');
  });

  test('a hook may save other documents, and its own once more', async () => {
    const name = await prepare(0);
    thing.onUpdate = async (doc, ctx) => {
      if (doc.title === 'after') await updateDocument(ctx, 'Thing', doc.name, { title: 'after all' });
    };
    assert.equal((await perform('update', name)).status, 200);
    assert.equal((await send('GET', name)).body.data.title, 'after all');
  });
});
