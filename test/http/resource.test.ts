/** Documents as resources: bodies, names, conditions and replies, as clients really send and read them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeSite } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import type { RequestOptions } from '../support/site.ts';
import { assertEnvelope, sendRaw } from '../support/wire.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const SITE = { apps: [notes], users: { writer: ['Note Writer'], reader: ['Note Reader'] } };

describeSite('resources', SITE, (site) => {
  let count = 0;

  const at = (name: string) => `/api/resource/Note/${encodeURIComponent(name)}`;
  function fresh(): string {
    count += 1;
    return `n${count}`;
  }
  async function create(fields: Record<string, unknown> = {}): Promise<string> {
    const name = fresh();
    await site.make('Note', { name, title: 'T', ...fields });
    return name;
  }

  describe('bodies of creations and updates', () => {
    const fields = (name: string) => ({
      name,
      title: 'Été',
      pages: 3,
      lines: [{ text: 'a', weight: 1.5 }],
    });
    const encodings: Record<string, (sent: object) => RequestOptions> = {
      'a JSON object': (sent) => ({ body: sent }),
      'JSON {"data": object}': (sent) => ({ body: { data: sent } }),
      'JSON {"data": text}': (sent) => ({ body: { data: JSON.stringify(sent) } }),
      'a form data=<json>': (sent) => ({
        body: new URLSearchParams({ data: JSON.stringify(sent) }).toString(),
        headers: FORM,
      }),
      'a JSON object as a form, as curl sends it': (sent) => ({
        body: JSON.stringify(sent),
        headers: FORM,
      }),
      'a JSON object as text, as scripts send it': (sent) => ({ body: JSON.stringify(sent) }),
      'a JSON object without a type': (sent) => ({ body: Buffer.from(JSON.stringify(sent)) }),
      'a multipart form data=<json>': (sent) => {
        const body = new FormData();
        body.set('data', JSON.stringify(sent));
        return { body };
      },
      'doctype inside the body': (sent) => ({ body: { doctype: 'User', ...sent } }),
    };
    for (const [encoding, options] of Object.entries(encodings)) {
      test(encoding, async () => {
        const name = fresh();
        const made = await site.request('POST', '/api/resource/Note/', options(fields(name)));
        assert.equal(made.status, 200, made.text);
        const { data } = made.body;
        assert.partialDeepStrictEqual(data, {
          name,
          title: 'Été',
          pages: 3,
          doctype: 'Note',
          docstatus: 0,
        });
        assert.partialDeepStrictEqual(data.lines, [{ idx: 1, text: 'a', weight: 1.5, parent: name }]);
        const read = await site.request('GET', at(name));
        assert.deepEqual(read.body.data, data);
        const changed = await site.request('PUT', at(name), options({ ...fields(name), pages: 4 }));
        assert.equal(changed.status, 200, changed.text);
        assert.equal(changed.body.data.pages, 4);
      });
    }

    test('plain form fields', async () => {
      const name = fresh();
      const body = new URLSearchParams({ name, title: 'Form', pages: '7' }).toString();
      const made = await site.request('POST', '/api/resource/Note', { body, headers: FORM });
      assert.partialDeepStrictEqual(made.body.data, { name, title: 'Form', pages: 7 });
    });

    test('plain fields of a multipart form and of the query', async () => {
      const name = fresh();
      const body = new FormData();
      body.set('title', 'Multipart');
      const made = await site.ok('POST', `/api/resource/Note?name=${name}&title=Query&pages=7`, { body });
      assert.partialDeepStrictEqual(made, { name, title: 'Multipart', pages: 7 });
      const asked = await site.request('POST', `/api/resource/Note?name=${fresh()}&title=Query`);
      assert.partialDeepStrictEqual(asked.body.data, { title: 'Query' });
      assert.equal(asked.headers.get('x-ignored-parameters'), null);
      const changed = await site.ok('PUT', `${at(name)}?pages=8`);
      assert.partialDeepStrictEqual(changed, { title: 'Multipart', pages: 8 });
    });

    test('the query beside a JSON object is ignored, and the reply says so', async () => {
      const reply = await site.request('POST', '/api/resource/Note?pages=7', { body: fields(fresh()) });
      assert.partialDeepStrictEqual(reply.body.data, { pages: 3 });
      assert.equal(reply.headers.get('x-ignored-parameters'), 'pages');
    });

    test('an empty body misses its mandatory fields, whatever its type', async () => {
      for (const headers of [JSON_BODY, FORM]) {
        const reply = await site.request('POST', '/api/resource/Note', { body: '', headers });
        assert.equal(reply.status, 417, reply.text);
      }
    });

    test('a list or a scalar is no document', async () => {
      for (const body of ['[]', '"x"', '1', 'true', 'null', '{"data":"[1]"}', '{"data":"nonsense"}']) {
        const reply = await site.request('POST', '/api/resource/Note', { body, headers: JSON_BODY });
        assert.ok([400, 417].includes(reply.status), `${body}: ${reply.status} ${reply.text}`);
      }
      const form = await site.request('POST', '/api/resource/Note', { body: 'data={', headers: FORM });
      assertEnvelope(form, 'BadRequestError');
    });
  });

  test('update takes the same bodies and changes only what they hold', async () => {
    const name = await create({ pages: 1, body: 'kept' });
    const bodies: readonly RequestOptions[] = [
      { body: { pages: 2 } },
      { body: { data: { pages: 3 } } },
      { body: new URLSearchParams({ data: '{"pages":4}' }).toString(), headers: FORM },
      { body: 'pages=5', headers: FORM },
      { body: '{"pages":6}' },
    ];
    for (const [index, options] of bodies.entries()) {
      const { status, body, text } = await site.request('PUT', `${at(name)}/`, options);
      assert.equal(status, 200, text);
      assert.partialDeepStrictEqual(body.data, { name, pages: index + 2, body: 'kept', title: 'T' });
    }
    await site.ok('PUT', at(name), { body: '', headers: JSON_BODY });
  });

  test('delete answers 202 in both dialects, with a JSON type and no body, an empty one, or {}', async () => {
    for (const options of [{}, { headers: JSON_BODY }, { body: {} }, { body: '', headers: JSON_BODY }]) {
      const name = await create();
      const reply = await site.request('DELETE', at(name), options);
      assert.equal(reply.status, 202, reply.text);
      assert.deepEqual(reply.body, { message: 'ok', data: 'ok' });
      assertEnvelope(await site.request('GET', at(name)), 'DoesNotExistError');
    }
  });

  test('GET with a JSON content type and no body, as the JavaScript SDK sends it', async () => {
    const name = await create();
    await site.ok('GET', at(name), { headers: JSON_BODY });
    await site.ok('GET', '/api/resource/Note', { headers: JSON_BODY });
  });

  test('GET with a JSON body, as requests.get(json=…) sends it, takes its parameters', async () => {
    const [first, second] = [await create({ body: 'asked' }), await create({ body: 'asked' })];
    const get = async (path: string, body: unknown, type = 'application/json') => {
      const bytes = JSON.stringify(body);
      const lines = ['Host: a', 'Connection: close', `Authorization: token ${site.adminKey}`];
      const head = [
        `GET ${path} HTTP/1.1`,
        ...lines,
        `Content-Type: ${type}`,
        `Content-Length: ${bytes.length}`,
      ];
      const reply = await sendRaw(site.url, `${head.join('\r\n')}\r\n\r\n${bytes}`);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      return { ignored: reply.headers.get('x-ignored-parameters'), ...JSON.parse(reply.text) };
    };
    const filters = { body: 'asked' };
    const asked = { filters, fields: ['name', 'body'], order_by: 'name asc', limit_page_length: 1 };
    const rows = [first, second].map((name) => ({ name, body: 'asked' }));
    const list = '/api/resource/Note';
    assert.deepEqual(await get(list, asked), { ignored: undefined, data: [rows[0]] });
    assert.deepEqual(await get(list, asked, 'text/plain'), { ignored: undefined, data: [rows[0]] });
    assert.deepEqual(await get(`${list}?limit_page_length=5`, asked), { ignored: undefined, data: rows });
    assert.deepEqual(await get(list, { ...asked, limits: 1 }), { ignored: 'limits', data: [rows[0]] });
    const { has_next_page: more } = await get('/api/v2/document/Note', { filters, limit: 1 });
    assert.equal(more, true);
    assert.equal((await get('/api/v2/doctype/Note/count', { filters })).data, 2);
    const call = { doctype: 'Note', filters };
    assert.equal((await get('/api/method/frappe.client.get_count', call)).message, 2);
    assert.equal((await get('/?cmd=frappe.client.get_count', call)).message, 2);
    assert.equal((await get('/api/method/frappe.client.get_count?filters=[]', call)).message > 2, true);
    assert.equal((await get(at(first), { fields: ['x'] })).data.name, first);
  });

  test('single documents omit nulls, list rows keep them', async () => {
    const name = await create();
    const { data } = (await site.request('GET', at(name))).body;
    assert.ok(!('body' in data) && !('related' in data));
    assert.deepEqual(data.lines, []);
    const fields = encodeURIComponent('["name","body"]');
    const filters = encodeURIComponent(JSON.stringify({ name }));
    const listed = await site.request('GET', `/api/resource/Note?fields=${fields}&filters=${filters}`);
    assert.deepEqual(listed.body, { data: [{ name, body: null }] });
    assert.equal(listed.headers.get('content-type'), 'application/json; charset=utf-8');
    const arrays = await site.request(
      'GET',
      `/api/resource/Note?fields=${fields}&filters=${filters}&as_dict=0`,
    );
    assert.deepEqual(arrays.body, { data: [[name, null]] });
  });

  describe('names go round through every verb', () => {
    const names = [
      'a/b',
      'a/b/c d',
      'with space',
      '100%',
      '50%25',
      '%41',
      'a+b',
      'a#b?c=d&e',
      'quote"\'`',
      'back\\slash',
      'Ünïcødé 漢字 😀',
      'semi;colon,comma',
      'Robert\'); drop table "Note";--',
      '..a',
      '{"x":1}',
      'null',
      '0',
    ];
    for (const name of names) {
      test(name, async () => {
        const made = await site.make('Note', { name, title: 'T' });
        assert.equal(made.name, name);
        for (const path of [at(name), `${at(name)}/`, at(name).replace('/api/', '/api/v1/')]) {
          const read = await site.request('GET', path);
          assert.equal(read.body.data?.name, name, path);
        }
        const put = await site.request('PUT', at(name), { body: { pages: 9 } });
        assert.equal(put.body.data.pages, 9);
        await site.ok('DELETE', at(name));
        assert.equal((await site.request('GET', at(name))).status, 404);
      });
    }

    test('a raw slash and raw spaces-as-%20 in the path are part of the name', async () => {
      await site.request('POST', '/api/resource/Note', { body: { name: 'x/y z', title: 'T' } });
      assert.equal((await site.ok('GET', '/api/resource/Note/x/y%20z')).name, 'x/y z');
    });
  });

  describe('revisions', () => {
    test('read carries an ETag, and If-None-Match spares the body', async () => {
      const name = await create();
      const first = await site.request('GET', at(name));
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"\d+"$/);
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await site.request('GET', at(name), { headers: { 'if-none-match': sent } });
        assert.equal(again.status, 304, sent);
        assert.equal(again.text, '');
        assert.equal(again.headers.get('etag'), etag);
      }
      await site.request('PUT', at(name), { body: { pages: 1 } });
      const changed = await site.request('GET', at(name), { headers: { 'if-none-match': etag } });
      assert.equal(changed.status, 200);
      assert.notEqual(changed.headers.get('etag'), etag);
    });

    test('If-Match guards update and delete', async () => {
      const name = await create();
      const etag = (await site.request('GET', at(name))).headers.get('etag') ?? '';
      const put = (match: string) =>
        site.request('PUT', at(name), { body: { pages: 5 }, headers: { 'if-match': match } });
      assert.equal((await put(etag)).status, 200);
      for (const stale of [etag, '"999999"', 'nonsense', `W/${etag}`, '"1", "2"']) {
        assertEnvelope(await put(stale), 'PreconditionFailedError');
      }
      assert.equal((await put('*')).status, 200);
      const refused = await site.request('DELETE', at(name), { headers: { 'if-match': etag } });
      assertEnvelope(refused, 'PreconditionFailedError');
      const current = (await site.request('GET', at(name))).headers.get('etag') ?? '';
      await site.ok('DELETE', at(name), { headers: { 'if-match': current } });
    });

    test('a stale modified in the body is refused', async () => {
      const name = await create();
      const stale = await site.request('PUT', at(name), {
        body: { pages: 1, modified: '2001-01-01 00:00:00' },
      });
      assertEnvelope(stale, 'TimestampMismatchError');
    });
  });

  test('parameters without effect are named, those that clients always send empty are not', async () => {
    const ignored = async (path: string) =>
      (await site.request('GET', path)).headers.get('x-ignored-parameters');
    assert.equal(await ignored('/api/resource/Note?filter=x&feilds=["name"]&limit=5'), 'filter, feilds');
    assert.equal(await ignored('/api/resource/Note?order_by=&group_by=&limit_start=&_=17'), null);
    assert.equal(await ignored('/api/resource/Note?a%0d%0aX-Evil:%201=1'), 'a%0D%0AX-Evil%3A%201');
    const name = await create();
    assert.equal(await ignored(`${at(name)}?fields=["name"]`), 'fields');
  });

  test('HEAD follows GET', async () => {
    const name = await create();
    const get = await site.request('GET', at(name));
    const head = await site.request('HEAD', at(name));
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers.get('etag'), get.headers.get('etag'));
    assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
    assert.equal((await site.request('HEAD', at('absent'))).status, 404);
  });

  test('who may not, gets 403 for existing and missing documents alike; who may, 404', async () => {
    const name = await create();
    const outsider = await site.createUser(`outsider-${fresh()}@example.com`, []);
    for (const as of [null, outsider]) {
      const texts: string[] = [];
      for (const target of [name, 'absent']) {
        for (const [method, body] of [['GET'], ['PUT', { pages: 1 }], ['DELETE']] as const) {
          const reply = await site.request(method, at(target), { as, body });
          assertEnvelope(reply, 'PermissionError');
          texts.push(reply.text);
        }
      }
      assert.deepEqual(texts.slice(0, 3), texts.slice(3));
      assertEnvelope(await site.request('GET', '/api/resource/Note', { as }), 'PermissionError');
      assertEnvelope(
        await site.request('POST', '/api/resource/Note', { as, body: { name: 'no', title: 'no' } }),
        'PermissionError',
      );
    }
    assertEnvelope(await site.request('GET', at('absent'), { as: 'reader' }), 'DoesNotExistError');
    assertEnvelope(
      await site.request('PUT', at(name), { as: 'reader', body: { pages: 1 } }),
      'PermissionError',
    );
    await site.ok('PUT', at(name), { as: 'writer', body: { pages: 1 } });
  });

  test('an unknown doctype is 404 for every verb', async () => {
    for (const [method, path, body] of [
      ['GET', '/api/resource/Nonsense'],
      ['POST', '/api/resource/Nonsense', {}],
      ['GET', '/api/resource/Nonsense/x'],
      ['PUT', '/api/resource/Nonsense/x', {}],
      ['DELETE', '/api/resource/Nonsense/x'],
      ['GET', '/api/resource/_api_key'],
      ['GET', '/api/resource/_password/x'],
      ['GET', '/api/resource/A%2FB'],
    ] as const) {
      assertEnvelope(await site.request(method, path, { body }), 'DoesNotExistError');
    }
  });

  test('a field of a higher permission level is neither shown nor taken', async () => {
    const name = await create({ grade: 'A' });
    assert.equal((await site.ok('GET', at(name))).grade, 'A');
    assert.ok(!('grade' in (await site.ok('GET', at(name), { as: 'writer' }))));
    const put = await site.ok('PUT', at(name), { as: 'writer', body: { grade: 'F', pages: 2 } });
    assert.ok(!('grade' in put));
    assert.equal((await site.ok('GET', at(name))).grade, 'A');
  });

  test('whoever may read a doctype may read its definition, and lists only such definitions', async () => {
    const definition = await site.ok('GET', '/api/resource/DocType/Note', { as: 'reader' });
    const title = definition.fields.find((field: { fieldname: string }) => field.fieldname === 'title');
    assert.partialDeepStrictEqual(title, { label: 'Title', fieldtype: 'Data', reqd: 1 });
    await site.ok('GET', '/api/resource/DocType/Note%20Line', { as: 'reader' });
    assertEnvelope(
      await site.request('GET', '/api/resource/DocType/Webhook', { as: 'reader' }),
      'PermissionError',
    );
    const listed = await site.request('GET', '/api/resource/DocType?limit_page_length=1000', {
      as: 'reader',
    });
    assert.equal(listed.status, 200, listed.text);
    const names = listed.body.data.map((row: { name: string }) => row.name);
    assert.ok(names.includes('Note'), listed.text);
    assert.ok(!names.includes('Webhook'), listed.text);
    assert.equal(
      (await site.request('PUT', '/api/resource/DocType/Note', { as: 'reader', body: {} })).status,
      403,
    );
  });

  test('an unencoded space in the path, as older clients send it, is no valid HTTP and says so', async () => {
    const reply = await sendRaw(
      site.url,
      'GET /api/resource/Note Line HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    assertEnvelope(reply, 'BadRequestError');
  });
});
