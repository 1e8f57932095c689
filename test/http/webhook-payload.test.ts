/** What webhooks send, and when: conditions, watched fields, templates, forms, what was before. On both engines. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { afterEach, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { describeEither } from '../support/describe-site.ts';
import { bodyOf, delivered, webhookSite } from '../support/webhook-site.ts';

const UPDATED = { webhook_docevent: 'on_update' };

describeEither('payloads of webhooks', webhookSite(), (hooks) => {
  afterEach(() => hooks.clear());

  /** What a webhook was given to send: deliveries are there as soon as the change is. */
  async function given(hook: string): Promise<readonly unknown[]> {
    return (await hooks.logs(hook)).map((log) => JSON.parse(String(log['data']))).reverse();
  }

  test('a condition decides which documents fire', async () => {
    const { name: hook } = await hooks.webhook({
      condition: 'doc.title == "Yes" and doc.pages > 2 and doc.lines|length == 1 and not doc.body',
      webhook_data: [{ fieldname: 'title' }, { fieldname: 'pages' }],
    });
    await hooks.note({ title: 'Yes', pages: 2, lines: [{ text: 'a' }] });
    await hooks.note({ title: 'Yes', pages: 3, lines: [{ text: 'a' }] });
    await hooks.note({ title: 'Yes', pages: 3 });
    await hooks.note({ title: 'No', pages: 3, lines: [{ text: 'a' }] });
    await hooks.note({ title: 'Yes', pages: 3, lines: [{ text: 'a' }], body: 'x' });
    assert.deepEqual(await given(hook), [{ title: 'Yes', pages: 3 }]);
  });

  test('a condition can read the changes, and a webhook can watch fields', async () => {
    const webhook_data = [{ fieldname: 'pages' }, { fieldname: 'body' }];
    const condition = 'doc.has_value_changed("pages") and previous.pages < doc.pages';
    const asking = await hooks.webhook({ ...UPDATED, condition, webhook_data });
    const watching = await hooks.webhook({ ...UPDATED, only_if_changed: 'title, lines', webhook_data });
    const name = await hooks.note({ pages: 5, lines: [{ text: 'a' }] });
    const put = (fields: object) => hooks.put(`Note/${name}`, fields);
    await put({ body: '1' });
    await put({ body: '2', pages: 4 });
    await put({ body: '3', pages: 6 });
    await put({ body: '4', title: 'Other' });
    await put({ body: '5', lines: [{ text: 'a' }] });
    await put({ body: '6', lines: [{ text: 'b' }] });
    await put({ body: '7', lines: [] });
    assert.deepEqual(await given(asking.name), [{ pages: 6, body: '3' }]);
    assert.deepEqual(
      await given(watching.name),
      ['4', '6', '7'].map((body) => ({ pages: 6, body })),
    );
  });

  test('several saves in one transaction are one change', async () => {
    await hooks.webhook({
      ...UPDATED,
      include_previous: 1,
      webhook_data: [{ fieldname: 'title' }, { fieldname: 'pages' }],
    });
    const name = await hooks.note({ title: 'One', pages: 1 });
    await unitOfWork(hooks.site, ADMINISTRATOR, async (ctx) => {
      await updateDocument(ctx, 'Note', name, { title: 'Two' });
      await updateDocument(ctx, 'Note', name, { pages: 2 });
      await updateDocument(ctx, 'Note', name, { pages: 3 });
    });
    const [request] = await hooks.receiver.count(1);
    assert.equal(
      request?.body.toString(),
      '{"title": "Two", "pages": 3, "__previous": {"title": "One", "pages": 1}}',
    );
  });

  test('the body has the previous document, and none for a new one', async () => {
    await hooks.webhook({ webhook_docevent: 'on_change', include_previous: 1 });
    const name = await hooks.note({ title: 'One' });
    await hooks.put(`Note/${name}`, { title: 'Two', lines: [{ text: 'x' }] });
    await hooks.receiver.count(2);
    const [created, changed] = hooks.receiver.received.map(bodyOf);
    assert.equal(created.__previous, null);
    assert.equal(changed.title, 'Two');
    assert.deepEqual(changed.__previous, { title: 'One', lines: [] });
  });

  test('a JSON Body is a template; its bytes are rendered, signed and logged', async () => {
    const { name: hook, secret } = await hooks.webhook({
      request_structure: 'JSON',
      webhook_data: [{ fieldname: 'title' }],
      webhook_json: `{
          "text": "*{{ doc.title }}* by {{ doc.owner }}",
          "lines": [{% for row in doc.lines %}
            {"n": {{ loop.index }}, "text": {{ row.text }}, "weight": {{ row.weight }}}{{ "," if not loop.last }}
          {% endfor %}],
          "big": {{ doc.pages > 100 }}, "exact": 1.0, "id": 12345678901234567890, "body": {{ doc.body }}
        }`,
    });
    const title = 'A "quoted"\nCafé \\';
    await hooks.note({ title, pages: 101, lines: [{ text: 'x"', weight: 1.5 }, { text: 'y' }] });
    const [request] = await hooks.receiver.count(1);
    const body = request?.body.toString() ?? '';
    assert.equal(
      body,
      '{"text": "*A \\"quoted\\"\\nCaf\\u00e9 \\\\* by Administrator", "lines": [{"n": 1, "text": "x\\"", "weight": 1.5}, ' +
        '{"n": 2, "text": "y", "weight": 0}], "big": true, "exact": 1.0, "id": 12345678901234567890, "body": null}',
    );
    assert.equal(
      request?.headers['x-service-webhook-signature'],
      createHmac('sha256', secret).update(body).digest('base64'),
    );
    const [log] = await hooks.logUntil(hook, delivered);
    assert.equal(log?.['data'], body);
  });

  test('a failing template does not stop the save, and the log has its error', async () => {
    const table: readonly (readonly [object, RegExp])[] = [
      [
        { webhook_json: '{"a": {% if doc.pages %}{{ doc.pages }}{% endif %}}' },
        /^render_error: the JSON body did not render as valid JSON/,
      ],
      [
        {
          webhook_json:
            '{% for a in doc.lines %}{% for b in doc.lines %}{% for c in doc.lines %}{% for d in doc.lines %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}1',
        },
        /^render_error: .*too much work/,
      ],
      [
        { is_dynamic_url: 1, request_url: '{{ doc.title }}' },
        /^render_error: the address cannot be used: it must be/,
      ],
      [{ is_dynamic_url: 1, request_url: 'https://{{ doc.title }}/' }, /^render_error: .*host/],
      [{ condition: Array(12).fill('doc.body in doc.body').join(' and ') }, /^render_error: .*too much work/],
    ];
    const lines = Array.from({ length: 30 }, () => ({ text: 'a' }));
    for (const [fields, reason] of table) {
      const { name } = await hooks.webhook(fields);
      await hooks.note({ title: 'no host', lines, body: 'x'.repeat(9_999) });
      const [log] = await hooks.logUntil(name, (logs) => logs.length === 1);
      assert.equal(log?.status, 'Exhausted', JSON.stringify(log));
      assert.match(String(log?.['error']), reason);
      assert.equal(log?.attempt, 0);
      await hooks.clear();
    }
  });

  test('an address is rendered per document, and retries keep it', async () => {
    const { name: hook } = await hooks.webhook({
      is_dynamic_url: 1,
      request_url: `http://{{ "127.0.0.1" }}:${hooks.receiver.port}/notes/{{ doc.name }}/{{ doc.title }}?n={{ doc.pages }}`,
    });
    const name = await hooks.note({ title: 'a/b c?', pages: 3 });
    const [request] = await hooks.receiver.count(1);
    assert.equal(request?.path, `/notes/${name}/a%2Fb%20c%3F?n=3`);
    const [log] = await hooks.logUntil(hook, delivered);
    assert.equal(log?.['url'], `http://127.0.0.1:${hooks.receiver.port}/notes/${name}/a%2Fb%20c%3F?n=3`);
    hooks.receiver.mode = 500;
    await hooks.note({ title: 'late' });
    await hooks.receiver.count(2);
    await hooks.put(`Webhook/${hook}`, { request_url: `${hooks.receiver.url}/{{ doc.title }}` });
    hooks.receiver.mode = 'ok';
    await hooks.logUntil(hook, (logs) => logs.length === 2 && delivered(logs));
    assert.match(hooks.receiver.received.at(-1)?.path ?? '', /^\/notes\/.*\/late/);
  });

  test('the body is a form if set, but JSON if the headers say so', async () => {
    const form = { request_structure: 'Form URL-Encoded' };
    const webhook_data = [
      { fieldname: 'title', key: 'Title' },
      { fieldname: 'pages' },
      { fieldname: 'body' },
      { fieldname: 'lines' },
    ];
    const { secret } = await hooks.webhook({
      ...form,
      webhook_data,
      request_url: `${hooks.receiver.url}/form`,
    });
    await hooks.webhook({
      ...form,
      webhook_data,
      request_url: `${hooks.receiver.url}/json`,
      webhook_headers: [{ key: 'Content-Type', value: 'application/json' }],
    });
    await hooks.note({ title: 'a&b=ü', pages: 3, lines: [{ text: 'x' }] });
    await hooks.receiver.count(2);
    const byPath = (path: string) => hooks.receiver.received.find((one) => one.path.endsWith(path));
    const sent = byPath('/form');
    const fields = new URLSearchParams(sent?.body.toString());
    assert.equal(sent?.headers['content-type'], 'application/x-www-form-urlencoded');
    assert.deepEqual([...fields.keys()], ['Title', 'pages', 'body', 'lines']);
    assert.deepEqual([fields.get('Title'), fields.get('pages'), fields.get('body')], ['a&b=ü', '3', '']);
    assert.equal(JSON.parse(fields.get('lines') ?? '')[0].text, 'x');
    assert.equal(
      sent?.headers['x-service-webhook-signature'],
      createHmac('sha256', secret)
        .update(sent?.body ?? '')
        .digest('base64'),
    );
    assert.equal(byPath('/json')?.headers['content-type'], 'application/json');
    assert.equal(bodyOf(byPath('/json')).Title, 'a&b=ü');
  });

  test('a body that is too long is replaced by the document’s name', async () => {
    await hooks.webhook({ webhook_json: '[{% for row in doc.lines %}{{ doc.body }}, {% endfor %}0]' });
    const lines = Array.from({ length: 20 }, () => ({ text: 'a' }));
    const name = await hooks.note({ body: 'x'.repeat(LIMITS.deliveryBodyBytes / 10), lines });
    const [request] = await hooks.receiver.count(1);
    assert.deepEqual(bodyOf(request), { doctype: 'Note', name, truncated: true });
  });

  test('no template or condition sees a password', async () => {
    const wanted = {
      webhook_doctype: 'User',
      webhook_docevent: 'on_change',
      webhook_json: '{{ doc|tojson }}',
    };
    await hooks.webhook(wanted);
    await hooks.createUser('templated@example.com', []);
    const [request] = await hooks.receiver.until((all) => all.length >= 1);
    assert.ok(bodyOf(request).name);
    assert.ok(!Object.keys(bodyOf(request)).join().includes('password'));
    for (const fields of [
      { condition: 'doc.new_password' },
      { webhook_json: '{{ doc.new_password }}' },
      { webhook_json: '{{ previous.new_password }}' },
      { is_dynamic_url: 1, request_url: 'http://x.example/{{ doc.new_password }}' },
    ]) {
      const body = {
        webhook_doctype: 'User',
        webhook_docevent: 'on_update',
        request_url: 'http://x.example',
        ...fields,
      };
      const reply = await hooks.request('POST', '/api/resource/Webhook', { body });
      assert.equal(reply.status, 417);
      assert.match(reply.text, /there is no field new_password/);
    }
  });

  test('a save refuses conditions and templates that cannot be evaluated', async () => {
    const table: readonly (readonly [object, RegExp])[] = [
      [{ condition: 'doc.status = "Open"' }, /Invalid Condition: .* has .*=/],
      [{ condition: 'doc.nowhere > 1' }, /Invalid Condition: there is no field nowhere/],
      [
        { condition: 'frappe.utils.nowdate() > doc.due' },
        /Invalid Condition: .*frappe.*sees only the document/,
      ],
      [{ condition: 'parent.title' }, /Invalid Condition: only a row/],
      [{ condition: 'doc.title and __import__("os")' }, /Invalid Condition: /],
      [{ webhook_json: '{"a": "{{ doc.nowhere }}"}' }, /Invalid JSON Body: there is no field nowhere/],
      [{ webhook_json: '{"a": "{{ doc.title }"}' }, /Invalid JSON Body: Line 1/],
      [{ webhook_json: '{"a": {{ doc.title }}' }, /Invalid JSON Body: it does not render as JSON/],
      [
        { webhook_json: '[{% for row in doc.lines %}{{ row.tex }}{% endfor %}]' },
        /Invalid JSON Body: there is no field lines.tex/,
      ],
      [{ webhook_json: '{{ self.__class__ }}' }, /Invalid JSON Body: .*self/],
      [{ webhook_json: '{{ doc.title }}', include_previous: 1 }, /Include Previous/],
      [
        { is_dynamic_url: 1, request_url: 'ftp://x.example/{{ doc.name }}' },
        /Check Request URL: it must begin/,
      ],
      [
        { is_dynamic_url: 1, request_url: 'http://u:p@x.example/{{ doc.name }}' },
        /Check Request URL: credentials/,
      ],
      [
        { is_dynamic_url: 1, request_url: 'http://x.example/{{ doc.nowhere }}' },
        /Check Request URL: there is no field/,
      ],
      [{ request_url: 'http://x.example{{ doc.name }}' }, /Check Request URL/],
      [{ only_if_changed: 'title' }, /Only If Changed: at after_insert there is nothing/],
      [{ ...UPDATED, only_if_changed: 'title\nnowhere' }, /Only If Changed: there is no field nowhere/],
      [
        { ...UPDATED, only_if_changed: Array.from({ length: 101 }, (_, n) => `f${n}`).join() },
        /at most 100 fields/,
      ],
    ];
    for (const [fields, reason] of table) {
      const body = {
        webhook_doctype: 'Note',
        webhook_docevent: 'after_insert',
        request_url: 'http://x.example/',
        ...fields,
      };
      const reply = await hooks.request('POST', '/api/resource/Webhook', { body });
      assert.equal(reply.status, 417, `${JSON.stringify(fields)}: ${reply.text.slice(0, 300)}`);
      assert.match(reply.body.exception, reason);
    }
  });

  test('a change of a webhook applies in its transaction at once, elsewhere after the commit', async () => {
    const data = { webhook_data: [{ fieldname: 'title' }] };
    const { name: hook } = await hooks.webhook({ ...data, condition: 'doc.pages == 1' });
    await hooks.note({ title: 'first', pages: 1 });
    const change = (pages: number, title: string, fails: boolean) =>
      unitOfWork(hooks.site, ADMINISTRATOR, async (ctx) => {
        await updateDocument(ctx, 'Webhook', hook, { condition: `doc.pages == ${pages}` });
        await createDocument(ctx, 'Note', { name: title, title, pages });
        if (fails) throw new Error('changed my mind');
      });
    await assert.rejects(change(2, 'undone', true), /changed my mind/);
    await hooks.note({ title: 'not these', pages: 2 });
    await hooks.note({ title: 'still', pages: 1 });
    await change(3, 'within', false);
    await hooks.note({ title: 'no longer', pages: 1 });
    await hooks.note({ title: 'behind', pages: 3 });
    const titles = ['first', 'still', 'within', 'behind'];
    assert.deepEqual(
      await given(hook),
      titles.map((title) => ({ title })),
    );
  });

  test('nothing unexpected was observed', () => {
    assert.deepEqual(
      hooks.observed.filter(({ kind }) => kind === 'unexpected'),
      [],
    );
  });
});
