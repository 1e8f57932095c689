/** Arguments of methods that apps define: declared, converted, checked, and described. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Arguments } from '../../src/doctype/arguments.ts';
import { defineDocumentMethod, defineMethod } from '../../src/document/verbs/method.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { defineApp, defineController } from '../../src/site/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import type { TestReply } from '../support/site.ts';
import { assertEnvelope } from '../support/wire.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(_value: T) => undefined;

const typed = defineApp({
  name: 'typed',
  methods: {
    'typed.all': defineMethod({
      http: ['GET', 'POST', 'DELETE'],
      description: 'Say what came in',
      args: {
        title: { type: 'Data', required: true, length: 20, description: 'What it is called' },
        mail: { type: 'Data', options: 'Email' },
        story: { type: 'Text' },
        copies: { type: 'Int', default: 1, min: 1, max: 9 },
        ratio: { type: 'Float' },
        urgent: { type: 'Check' },
        on: { type: 'Date' },
        at: { type: 'Datetime' },
        clock: { type: 'Time' },
        color: { type: 'Select', options: ['Red', 'Green'], default: 'Red' },
        note: { type: 'Link', options: 'Note' },
        more: { type: 'JSON' },
        numbers: { type: 'Int', list: true },
        notes: { type: 'Link', options: 'Note', list: true },
      },
      run: (_ctx, args) => {
        holds<Equal<typeof args.title, string>>(true);
        holds<Equal<typeof args.mail, string | null>>(true);
        holds<Equal<typeof args.copies, number>>(true);
        holds<Equal<typeof args.ratio, number | null>>(true);
        holds<Equal<typeof args.urgent, boolean>>(true);
        holds<Equal<typeof args.color, 'Red' | 'Green'>>(true);
        holds<Equal<typeof args.more, unknown>>(true);
        holds<Equal<typeof args.numbers, readonly number[]>>(true);
        // @ts-expect-error it was not declared
        assert.equal(args.absent, undefined);
        return args;
      },
    }),
    'typed.none': defineMethod({ http: ['GET', 'POST'], run: () => 'none' }),
    'typed.writers': defineMethod({ http: ['GET'], roles: ['Note Writer'], run: () => 'in' }),
    'typed.open': defineMethod({
      http: ['GET'],
      allowGuest: true,
      args: { note: { type: 'Link', options: 'Note' } },
      run: () => 'open',
    }),
  },
  controllers: {
    Note: defineController({
      documentMethods: {
        stamp: defineDocumentMethod({
          http: ['GET', 'POST'],
          description: 'Stamp a note',
          args: { times: { type: 'Int', required: true }, mark: { type: 'Data', default: '!' } },
          run: (doc, _ctx, { times, mark }) => `${doc.name}${mark.repeat(times)}`,
        }),
      },
    }),
  },
});

const UNSET = {
  mail: null,
  story: null,
  copies: 1,
  ratio: null,
  urgent: false,
  on: null,
  at: null,
  clock: null,
  color: 'Red',
  note: null,
  more: null,
  numbers: [],
  notes: [],
};
const GIVEN = {
  title: 'T',
  copies: 2,
  ratio: 0.5,
  urgent: true,
  on: '2026-01-31',
  at: '2026-01-31 09:30:00.000000',
  color: 'Green',
  note: 'open',
  more: { a: [1] },
  numbers: [1, 2],
  notes: ['open', 'other'],
};

const SITE = { apps: [notes, typed], users: { reader: ['Note Reader'], nobody: [] } };

describeEither('typed arguments', SITE, (site) => {
  before(async () => {
    for (const name of ['open', 'other']) {
      await site.make('Note', { name, title: name });
    }
  });

  const all = (body: object, as?: string): Promise<TestReply> =>
    site.request('POST', '/api/method/typed.all', { body, as });

  function assertRefused(reply: TestReply, ...names: readonly string[]): void {
    assertEnvelope(reply, 'ValidationError');
    for (const name of names) assert.ok(reply.text.includes(name), `${name}: ${reply.text}`);
  }

  test('JSON, a form, a query and the root door give the handler the same values', async () => {
    const expected = { message: { ...UNSET, ...GIVEN } };
    const text = new URLSearchParams({
      title: 'T',
      copies: '2',
      ratio: '0.5',
      urgent: '1',
      on: '2026-01-31 10:00:00',
      at: '2026-01-31T09:30:00Z',
      color: 'Green',
      note: 'open',
      more: '{"a":[1]}',
      numbers: '[1,"2"]',
      notes: '["open","other"]',
      mail: '',
      story: '',
    }).toString();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const path = '/api/method/typed.all';
    for (const reply of [
      await all({ ...GIVEN, mail: null }),
      await site.request('POST', path, { body: text, headers: form }),
      await site.request('GET', `${path}?${text}&_=17`),
      await site.request('DELETE', `${path}?${text}`),
      await site.request('GET', `/?cmd=typed.all&${text}`),
      await site.request('POST', '/', { body: { cmd: 'typed.all', ...GIVEN } }),
    ]) {
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(reply.body, expected);
    }
    const second = await site.request('POST', '/api/v2/method/typed.all', { body: GIVEN });
    assert.deepEqual(second.body.data, expected.message);
  });

  test('what is not sent is null, false, an empty list or the default; one value is a list of one', async () => {
    assert.deepEqual((await all({ title: 7 })).body.message, { ...UNSET, title: '7' });
    assert.deepEqual((await all({ title: 'T', numbers: '5' })).body.message.numbers, [5]);
    assert.deepEqual((await all({ title: 'T', more: [true, null] })).body.message.more, [true, null]);
    assert.equal((await all({ title: 'T', more: false })).body.message.more, false);
  });

  test('a missing, unknown or wrong argument is refused by its name, all at once', async () => {
    for (const title of [undefined, null, '']) assertRefused(await all({ title }), 'Argument title');
    assertRefused(await all({ title: 'T', titel: 'x' }), 'There is no argument', 'titel');
    assertRefused(await all({ title: 'T', constructor: 1 }), 'constructor');
    const many = await all({ copies: 'many', color: 'Blue', on: 'soon', nope: 1 });
    assertRefused(many, 'Argument title is required', 'Argument copies', 'Red', 'Argument on', 'nope');
    assert.equal(JSON.parse(many.body._server_messages).length, 5);
    for (const [name, wrong] of Object.entries({
      title: 'x'.repeat(21),
      mail: 'nobody',
      story: ['list'],
      copies: 10,
      ratio: '1,5',
      urgent: 2,
      at: '2026-02-30 00:00',
      clock: '25:00',
      more: '{"a":',
      numbers: [1, 'two'],
      notes: ['open', null],
    })) {
      assertRefused(await all({ title: 'T', [name]: wrong }), `Argument ${name}`);
    }
    assertRefused(
      await all({ title: 'T', numbers: Array.from({ length: LIMITS.argumentValues + 1 }, () => 1) }),
      'Argument numbers',
    );
    assertRefused(
      await site.request('POST', '/api/method/typed.none', { body: { a: 1 } }),
      'There is no argument',
    );
    assertRefused(await site.request('POST', '/api/method/typed.all', { body: [1] }), 'data', 'title');
    assert.equal((await site.request('GET', '/api/method/typed.none')).body.message, 'none');
  });

  test('a link names a document that the caller can see; others are as missing', async () => {
    assert.equal((await all({ title: 'T', note: 'open' }, 'reader')).status, 200);
    const missing = await all({ title: 'T', note: 'absent', notes: ['open', 'gone'] }, 'reader');
    assertEnvelope(missing, 'LinkValidationError');
    for (const said of ['Argument note: absent', 'Argument notes: gone']) {
      assert.ok(missing.text.includes(said), missing.text);
    }
    for (const note of ['open', 'absent']) {
      assertEnvelope(await all({ title: 'T', note }, 'nobody'), 'PermissionError');
      const guest = await site.request('GET', `/api/method/typed.open?note=${note}`, { as: null });
      assertEnvelope(guest, 'PermissionError');
    }
  });

  test('a method is for its roles', async () => {
    const writer = await site.createUser('writer@example.com', ['Note Writer']);
    const path = '/api/method/typed.writers';
    assert.equal((await site.request('GET', path, { as: writer })).body.message, 'in');
    assert.equal((await site.request('GET', path)).body.message, 'in');
    assertEnvelope(await site.request('GET', path, { as: 'reader' }), 'PermissionError');
    const paths = async (as?: string) =>
      (await site.request('GET', '/api/openapi.json', as ? { as } : {})).body.paths;
    assert.ok((await paths())[path]);
    assert.equal((await paths('reader'))[path], undefined);
  });

  test('methods of documents take arguments in the same way', async () => {
    const v1 = '/api/resource/Note/open?run_method=stamp';
    assert.equal(await site.ok('GET', `${v1}&times=2`), 'open!!');
    const v2 = '/api/v2/document/Note/open/method/stamp';
    assert.equal(await site.ok('POST', v2, { body: { times: '3', mark: '?' } }), 'open???');
    const rpc = (args: unknown) =>
      site.request('POST', '/api/method/run_doc_method', {
        body: { dt: 'Note', dn: 'open', method: 'stamp', args },
      });
    assert.equal((await rpc('{"times":1}')).body.message, 'open!');
    for (const args of [undefined, null, '', {}])
      assertRefused(await rpc(args), 'Argument times is required');
    assertRefused(await site.request('GET', `${v1}&times=x`), 'Argument times must be a number');
    const renamed = { run_method: 'rename', names: 'x' };
    assertRefused(await site.request('POST', '/api/resource/Note/open', { body: renamed }), 'Argument name');
  });

  test('OpenAPI shows arguments with their types', async () => {
    const { paths } = (await site.request('GET', '/api/openapi.json')).body;
    const { get, post } = paths['/api/method/typed.all'];
    assert.equal(post.summary, 'Say what came in');
    const { schema } = post.requestBody.content['application/json'];
    assert.deepEqual(schema.required, ['title']);
    assert.equal(schema.additionalProperties, false);
    assert.partialDeepStrictEqual(schema.properties, {
      title: { maxLength: 20, description: 'What it is called' },
      copies: { default: 1, minimum: 1, maximum: 9 },
      color: { default: 'Red' },
      note: { 'x-doctype': 'Note' },
      numbers: { type: 'array', maxItems: LIMITS.argumentValues },
    });
    const parameters = Object.fromEntries(
      get.parameters.map((one: { name: string }) => [one.name, one] as const),
    );
    assert.equal(parameters.title.required, true);
    assert.ok(parameters.numbers.content['application/json']);
    const stamp = paths['/api/v2/document/Note/{name}/method/stamp'];
    assert.deepEqual(stamp.post.requestBody.content['application/json'].schema.required, ['times']);
  });
});

test('arguments that no call could satisfy are refused where they are declared', () => {
  const wrong: readonly [Arguments, RegExp][] = [
    [{ 'a b': { type: 'Data' } }, /cannot be the name/],
    [Object.fromEntries([['toString', { type: 'Data' } as const]]), /cannot be the name/],
    [{ a: { type: 'Link', options: '' } }, /options are required/],
    [{ a: { type: 'Int', default: 12, max: 9 } }, /at most 9/],
    [{ a: { type: 'Select', options: ['x'], default: 'y' } }, /should be one of/],
  ];
  for (const [args, said] of wrong) {
    assert.throws(() => defineMethod({ args, run: () => null }), said);
  }
});
