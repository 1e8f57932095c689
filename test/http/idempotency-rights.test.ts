/** An answer that is stored under an `Idempotency-Key` comes again only as far as its user may see it still. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import type { TestReply } from '../support/site.ts';

const RIGHTS = { read: 1, write: 1, create: 1, delete: 1 };
const link = (fieldname: string, options: string) => ({ fieldname, fieldtype: 'Link', options });
const DOCTYPES = [
  {
    name: 'Team',
    permissions: [
      { role: 'System Manager', ...RIGHTS },
      { role: 'All', read: 1, select: 1 },
    ],
  },
  { name: 'Part', istable: 1, fields: [{ fieldname: 'bonus', fieldtype: 'Int', permlevel: 1 }] },
  {
    name: 'Plan',
    allow_rename: 1,
    fields: [
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'salary', fieldtype: 'Int', permlevel: 1 },
      { fieldname: 'parts', fieldtype: 'Table', options: 'Part' },
      link('team', 'Team'),
    ],
    permissions: [
      { role: 'System Manager', ...RIGHTS },
      { role: 'Planner', ...RIGHTS },
      { role: 'Own Planner', ...RIGHTS, if_owner: 1 },
      { role: 'Sender', create: 1 },
      { role: 'Payroll', permlevel: 1, read: 1, write: 1 },
    ],
  },
];

const SITE = {
  doctypes: DOCTYPES.map((doctype) => ({ autoname: 'Prompt', ...doctype })),
  roles: ['Planner', 'Own Planner', 'Sender', 'Payroll', 'Other'],
};

describeEither('answers that are kept', SITE, (site) => {
  let made = 0;
  before(async () => {
    for (const name of ['North', 'South']) await admin('POST', 'Team', { name });
  });

  async function admin(method: string, path: string, body: object): Promise<TestReply> {
    const reply = await site.request(method, `/api/resource/${path}`, { body });
    assert.ok(reply.status < 300, reply.text);
    return reply;
  }
  /** A user of their own, with what they send. */
  async function someone(...roles: string[]) {
    made += 1;
    const user = `user-${made}@example.com`;
    const as = await site.createUser(user, roles);
    const key = `key-${made}`;
    const name = `plan-${made}`;
    const post = (path: string, body: unknown) =>
      site.request('POST', path, { as, body, headers: { 'idempotency-key': key } });
    const read = () => site.request('GET', `/api/resource/Plan/${name}`, { as });
    const give = (...now: string[]) => admin('PUT', `User/${user}`, { roles: now.map((role) => ({ role })) });
    return { user, name, post, read, give };
  }
  type Someone = Awaited<ReturnType<typeof someone>>;
  const plan = (name: string) => ({ name, title: 'Plan', team: 'North', salary: 5, parts: [{ bonus: 7 }] });

  /** Requests whose answer is a document. */
  const DOORS: Readonly<Record<string, (name: string) => [path: string, body: object]>> = {
    resource: (name) => ['/api/resource/Plan', plan(name)],
    v2: (name) => ['/api/v2/document/Plan', plan(name)],
    insert: (name) => ['/api/method/frappe.client.insert', { doc: { doctype: 'Plan', ...plan(name) } }],
    'v2 method': (name) => [
      '/api/v2/method/frappe.client.insert',
      { doc: { doctype: 'Plan', ...plan(name) } },
    ],
  };

  /** Ways to lose the right to read what one made. */
  const LOSSES: Readonly<Record<string, readonly [role: string, lose: (who: Someone) => Promise<unknown>]>> =
    {
      'a role': ['Planner', ({ give }) => give('Other')],
      'all roles': ['Planner', ({ give }) => give()],
      'a User Permission': [
        'Planner',
        ({ user }) => admin('POST', 'User Permission', { user, allow: 'Team', for_value: 'South' }),
      ],
      'the document, which moved': [
        'Planner',
        async ({ user, name }) => {
          await admin('POST', 'User Permission', { user, allow: 'Team', for_value: 'North' });
          await admin('PUT', `Plan/${name}`, { team: 'South' });
        },
      ],
    };

  test('an answer is the same for who may read the document, whatever else they lost', async () => {
    for (const [door, of] of Object.entries(DOORS)) {
      const who = await someone('Planner', 'Other');
      const [path, body] = of(who.name);
      const first = await who.post(path, body);
      assert.equal(first.status, 200, `${door}: ${first.text}`);
      await who.give('Own Planner');
      const again = await who.post(path, body);
      assert.equal(again.text, first.text, door);
      assert.equal(again.headers.get('etag'), first.headers.get('etag'));
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
    }
  });

  test('who may not read the document any more is answered as by a read', async () => {
    for (const [door, of] of Object.entries(DOORS)) {
      for (const [loss, [role, lose]] of Object.entries(LOSSES)) {
        const who = await someone(role);
        const [path, body] = of(who.name);
        const first = await who.post(path, body);
        assert.equal(first.status, 200, `${door}: ${first.text}`);
        await lose(who);
        const [again, read] = [await who.post(path, body), await who.read()];
        assert.equal(read.status, 403, `${door}, ${loss}`);
        assert.equal(again.status, 403, `${door}, ${loss}: ${again.text}`);
        assert.ok(!again.text.includes('"salary"') && !again.text.includes('North'), again.text);
        if (door === 'resource') assert.equal(again.text, read.text, loss);
        assert.equal(again.headers.get('etag'), null);
      }
    }
  });

  test('fields above a level that was lost are left out', async () => {
    for (const [door, of] of Object.entries(DOORS)) {
      const who = await someone('Planner', 'Payroll');
      const [path, body] = of(who.name);
      assert.match((await who.post(path, body)).text, /"salary":5.*"bonus":7/, door);
      await who.give('Planner');
      const again = await who.post(path, body);
      assert.equal(again.status, 200);
      assert.match(again.text, /"title":"Plan"/);
      assert.doesNotMatch(again.text, /salary|bonus/, door);
    }
  });

  test('who could never read what they made is told again that it is there', async () => {
    const who = await someone('Sender');
    const [path, body] = ['/api/resource/Plan', { name: who.name, title: 'sent' }];
    const first = await who.post(path, body);
    assert.equal(first.status, 200, first.text);
    assert.equal((await who.read()).status, 403);
    assert.equal((await who.post(path, body)).text, first.text);
  });

  test('a document that is gone is judged by what the answer shows of it', async () => {
    const [keeps, loses] = [await someone('Planner'), await someone('Planner')];
    for (const who of [keeps, loses]) {
      const [path, body] = ['/api/resource/Plan', plan(who.name)];
      const first = await who.post(path, body);
      await site.request('DELETE', `/api/resource/Plan/${who.name}`);
      if (who === loses) {
        await admin('POST', 'User Permission', { user: who.user, allow: 'Team', for_value: 'South' });
      }
      const again = await who.post(path, body);
      assert.equal(again.status, who === keeps ? 200 : 403);
      if (who === keeps) assert.equal(again.text, first.text);
    }
  });

  test('a row of its own is shown again to who may read its table', async () => {
    const paths = ['/api/resource/Part', '/api/v2/document/Part'];
    const row = ({ name }: Someone) => ({
      parent: name,
      parenttype: 'Plan',
      parentfield: 'parts',
      bonus: 3,
    });
    const insert = async (path: string, ...roles: string[]) => {
      const who = await someone(...roles);
      await admin('POST', 'Plan', plan(who.name));
      const first = await who.post(path, row(who));
      assert.equal(first.status, 200, first.text);
      return { ...who, first, again: () => who.post(path, row(who)) };
    };
    for (const path of paths) {
      const keeps = await insert(path, 'Planner', 'Payroll');
      assert.match(keeps.first.text, /"bonus":3/);
      assert.equal((await keeps.again()).text, keeps.first.text);
      await admin('PUT', `Plan/${keeps.name}`, { parts: [] });
      assert.equal((await keeps.again()).text, keeps.first.text, 'a row that is gone');
      await keeps.give('Planner');
      assert.doesNotMatch((await keeps.again()).text, /bonus/);
      for (const isGone of [false, true]) {
        for (const [loss, [role, lose]] of Object.entries(LOSSES)) {
          const loses = await insert(path, role);
          if (isGone) await admin('PUT', `Plan/${loses.name}`, { parts: [] });
          await lose(loses);
          const again = await loses.again();
          assert.ok([403, 404].includes(again.status), `${loss}: ${again.text}`);
          assert.doesNotMatch(again.text, /parentfield/);
        }
      }
    }
  });

  test('an answer that is no document is for who has every role that they had', async () => {
    const path = '/api/method/frappe.client.rename_doc';
    for (const [now, status] of [
      [['Planner', 'Payroll', 'Other'], 200],
      [['Planner', 'Payroll'], 200],
      [['Planner'], 403],
    ] as const) {
      const who = await someone('Planner', 'Payroll');
      await admin('POST', 'Plan', { name: who.name });
      const body = { doctype: 'Plan', old_name: who.name, new_name: `${who.name}-new` };
      const first = await who.post(path, body);
      assert.equal(first.status, 200, first.text);
      await who.give(...now);
      const again = await who.post(path, body);
      assert.equal(again.status, status, again.text);
      if (status === 200) assert.equal(again.text, first.text);
      else assert.ok(!again.text.includes(who.name));
    }
  });

  test('an answer that is no document is for who sees as much by the same roles', async () => {
    const rows = (permissions: readonly object[]) => admin('PUT', 'DocType/Plan', { permissions });
    const level = (doctype: string, field: string) => ({
      doctype_or_field: 'DocField',
      doc_type: doctype,
      field_name: field,
      property: 'permlevel',
      value: '3',
    });
    const all = DOCTYPES.find(({ name }) => name === 'Plan')?.permissions ?? [];
    const without = (role: string) => all.filter((row) => row.role !== role);
    const changes: readonly (readonly [status: number, change: () => Promise<unknown>])[] = [
      [200, () => rows([...all, { role: 'Other', read: 1 }])],
      [403, () => rows(without('Payroll'))],
      [403, () => rows([...without('Planner'), { role: 'Planner', ...RIGHTS, if_owner: 1 }])],
      [403, () => rows(without('Planner'))],
      [403, () => admin('POST', 'Property Setter', level('Plan', 'title'))],
      [403, () => admin('POST', 'Property Setter', level('Part', 'bonus'))],
    ];
    for (const [status, change] of changes) {
      const who = await someone('Planner', 'Payroll');
      await admin('POST', 'Plan', plan(who.name));
      const body = { doctype: 'Plan', old_name: who.name, new_name: `${who.name}-new` };
      const ask = () => who.post('/api/method/frappe.client.rename_doc', body);
      const first = await ask();
      assert.equal(first.status, 200, first.text);
      await change();
      const again = await ask();
      assert.equal(again.status, status, `${change}: ${again.text}`);
      if (status === 403) assert.ok(!again.text.includes(who.name));
      await rows(all);
    }
  });

  test('an answer that is no document comes again only with every share behind it', async () => {
    const changes: readonly (readonly [status: number, change: (share: string, other: object) => unknown])[] =
      [
        [200, (_share, other) => admin('POST', 'DocShare', { ...other, read: 1 })],
        [403, (share) => admin('DELETE', `DocShare/${share}`, {})],
        [403, (share) => admin('PUT', `DocShare/${share}`, { read: 0, write: 0, submit: 0, share: 0 })],
      ];
    for (const [status, change] of changes) {
      const who = await someone('Sender');
      const shareOf = async (name: string) => {
        await admin('POST', 'Plan', plan(name));
        return { user: who.user, share_doctype: 'Plan', share_name: name };
      };
      // By the first share the user still reads plans.
      await admin('POST', 'DocShare', { ...(await shareOf(`${who.name}-kept`)), read: 1 });
      const shared = await admin('POST', 'DocShare', { ...(await shareOf(who.name)), read: 1, write: 1 });
      const body = { doctype: 'Plan', old_name: who.name, new_name: `${who.name}-new` };
      const ask = () => who.post('/api/method/frappe.client.rename_doc', body);
      const first = await ask();
      assert.equal(first.status, 200, first.text);
      await change(shared.body.data.name, await shareOf(`${who.name}-other`));
      const again = await ask();
      assert.equal(again.status, status, again.text);
      if (status === 403) assert.ok(!again.text.includes(who.name));
    }
  });
});
