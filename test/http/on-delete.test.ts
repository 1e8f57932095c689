/** `on_delete` over HTTP: in definitions, custom fields and property setters, with versions and webhooks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { describeEither } from '../support/describe-site.ts';
import { assertEnvelope } from '../support/wire.ts';

const permissions = [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }];
const task = (on_delete: string, more: object = {}) => ({
  name: 'Task',
  module: 'Test',
  autoname: 'Prompt',
  track_changes: 1,
  permissions,
  fields: [{ fieldname: 'project', fieldtype: 'Link', options: 'Project', on_delete, ...more }],
});

describeEither('on_delete over HTTP', {}, (site) => {
  const ask = async (verb: string, path: string, body?: unknown) => {
    const reply = await site.request(verb, path, body === undefined ? {} : { body });
    assert.ok(reply.status < 300, `${verb} ${path}: ${reply.text}`);
    return reply.body;
  };
  const deliveries = async () =>
    Number(
      (await site.site.database.reader.get(sql`select count(*) as "n" from "_webhook_delivery"`))?.['n'],
    );
  const linked = async (name: string) =>
    (await ask('GET', `/api/method/chancery.linked_documents?doctype=Project&name=${name}`)).message;

  test('the definition, a property setter and a custom field decide', async () => {
    const project = { name: 'Project', module: 'Test', autoname: 'Prompt', permissions, fields: [] };
    await ask('POST', '/api/resource/DocType', {
      ...project,
      fields: [{ fieldname: 'title', fieldtype: 'Data' }],
    });
    const impossible = task('empty', { reqd: 1 });
    const refused = await site.request('POST', '/api/resource/DocType', { body: impossible });
    assertEnvelope(refused, 'ValidationError');
    assert.match(refused.text, /Field project: on_delete: a mandatory field cannot be emptied/);
    await ask('POST', '/api/resource/DocType', task('empty'));
    assert.equal((await ask('GET', '/api/resource/DocType/Task')).data.fields[0].on_delete, 'empty');
    await ask('POST', '/api/resource/Webhook', {
      webhook_doctype: 'Task',
      webhook_docevent: 'on_trash',
      request_url: 'https://receiver.example.com/',
    });

    for (const name of ['a', 'b', 'c']) await ask('POST', '/api/resource/Project', { name });
    for (const name of ['a', 'b', 'c'])
      await ask('POST', '/api/resource/Task', { name: `of ${name}`, project: name });

    assert.deepEqual(await linked('a'), { Task: { count: 1, names: ['of a'], effects: ['emptied'] } });
    const gone = await site.request('DELETE', '/api/resource/Project/a');
    assert.deepEqual([gone.status, gone.body], [202, { message: 'ok', data: 'ok' }]);
    assert.equal((await ask('GET', '/api/resource/Task/of a')).data.project, undefined);
    const filters = encodeURIComponent(JSON.stringify({ ref_doctype: 'Task', docname: 'of a' }));
    const versions = await ask('GET', `/api/resource/Version?fields=["data"]&filters=${filters}`);
    assert.match(versions.data[0].data, /"project","a",/);

    const setter = { doctype_or_field: 'DocField', doc_type: 'Task', field_name: 'project' };
    await ask('POST', '/api/resource/Property Setter', {
      ...setter,
      property: 'on_delete',
      value: 'cascade',
    });
    assert.deepEqual(await linked('b'), { Task: { count: 1, names: ['of b'], effects: ['deleted'] } });
    assert.equal(await deliveries(), 0);
    await ask('DELETE', '/api/resource/Project/b');
    assert.equal(await deliveries(), 1);
    assert.equal((await site.request('GET', '/api/resource/Task/of b')).status, 404);
    assert.equal(
      (await ask('GET', '/api/resource/Deleted Document/?filters=[["deleted_name","=","of b"]]')).data.length,
      1,
    );

    await ask('POST', '/api/resource/Custom Field', {
      dt: 'Task',
      label: 'Client',
      fieldtype: 'Link',
      options: 'Project',
      on_delete: 'block',
    });
    await ask('POST', '/api/resource/Task', { name: 'other', client: 'c' });
    assert.deepEqual((await linked('c')).Task.effects.toSorted(), ['blocks', 'deleted']);
    assertEnvelope(await site.request('DELETE', '/api/resource/Project/c'), 'LinkExistsError');
    assert.equal((await site.request('GET', '/api/resource/Task/of c')).status, 200);
  });
});
