/** `chancery.ui.boot`: what a program for people asks first, answered to everybody as far as it is theirs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../../src/config/version.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { type RequestOptions, startTestSite } from '../support/site.ts';

const PASSWORD = 'correct horse battery';

describeEither('boot', { apps: [notes] }, (site, engine) => {
  interface Alike {
    readonly modules: Readonly<Record<string, readonly string[]>>;
    readonly rights: readonly string[];
  }
  const separate = (doctypes: readonly Alike[]) =>
    doctypes
      .flatMap(({ modules, rights }) =>
        Object.values(modules).flatMap((names) => names.map((name) => ({ name, rights }))),
      )
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));

  async function boot(options: RequestOptions = {}) {
    const reply = await site.request('GET', '/api/method/chancery.ui.boot', options);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    return reply.body.message;
  }

  test('nobody learns how to sign in, whether somebody ever did, and nothing of the site', async () => {
    const guest = await boot({ as: null });
    assert.equal(guest.user, null);
    assert.equal(guest.csrf_token, '');
    assert.deepEqual(guest.doctypes, []);
    assert.equal(guest.site.version, '');
    assert.equal(guest.site.time_zone, 'UTC');
    assert.deepEqual(guest.sign_in, { username: 0, password_reset: 0, providers: [], first_run: 1 });

    const usr = { usr: 'Administrator', pwd: 'admin-password' };
    await site.request('POST', '/api/method/login', { as: null, body: usr });
    assert.equal((await boot({ as: null })).sign_in.first_run, 0);
    const provider = {
      provider_name: 'Corp Id',
      base_url: 'https://id.example.com',
      client_id: 'x',
      client_secret: 'canary-secret',
      enable_social_login: 1,
    };
    await site.make('Social Login Key', provider);
    const { sign_in: signIn } = await boot({ as: null });
    const [{ name, label, url }] = signIn.providers;
    assert.deepEqual([label, url], ['Corp Id', `/api/auth/${name}/start`]);
    assert.ok(!JSON.stringify(signIn).includes('canary'));
  });

  test('rights name only the writes that a virtual doctype has', async () => {
    const { doctypes } = await boot();
    const writes = (name: string) => {
      const found = separate(doctypes).find((one) => one.name === name);
      return found?.rights.filter((right) => ['write', 'create', 'delete', 'import'].includes(right));
    };
    assert.deepEqual(writes('Audit Log'), []);
    assert.deepEqual(writes('User'), ['write', 'create', 'delete', 'import']);
    const { message: logs } = (
      await site.request('GET', '/api/method/frappe.client.get_list?doctype=Audit Log&limit_page_length=1')
    ).body;
    const query = `doctype=Audit Log&docname=${logs[0].name}`;
    const { body } = await site.request('GET', `/api/method/frappe.client.get_doc_permissions?${query}`);
    const { read, write, create, delete: remove } = body.message.permissions;
    assert.deepEqual([read, write, create, remove], [1, 0, 0, 0]);
  });

  test('a site with more users than at its start was used before', async () => {
    const other = await startTestSite(engine);
    const first = async () =>
      (await other.request('GET', '/api/method/chancery.ui.boot', { as: null })).body.message.sign_in
        .first_run;
    assert.equal(await first(), 1);
    await other.createUser('one@example.com', []);
    assert.equal(await first(), 0);
    await other.stop();
  });

  test('a session gets its token, with which its requests prove themselves; a key gets none', async () => {
    await site.createUser('ann@example.com', ['System Manager']);
    await site.request('PUT', '/api/resource/User/ann@example.com', { body: { new_password: PASSWORD } });
    const signed = await site.request('POST', '/api/method/login', {
      as: null,
      body: { usr: 'ann@example.com', pwd: PASSWORD },
    });
    const cookie = (signed.headers.getSetCookie()[0] ?? '').split(';', 1)[0] ?? '';
    const { csrf_token: token, user } = await boot({ as: null, headers: { cookie } });
    assert.match(token, /^[\w-]{20,}$/);
    assert.equal(user.name, 'ann@example.com');
    const change = (headers: Record<string, string>) =>
      site.request('PUT', '/api/resource/User/ann@example.com', {
        as: null,
        body: { language: 'de' },
        headers: { cookie, origin: 'https://elsewhere.example', ...headers },
      });
    assert.equal((await change({})).status, 400);
    assert.equal((await change({ 'x-frappe-csrf-token': token })).status, 200);
    assert.equal((await boot({ headers: { cookie } })).csrf_token, '');
  });

  test('a user learns who they are and which doctypes are theirs, with every right on them', async () => {
    const as = await site.createUser('bob@example.com', ['Note Writer']);
    await site.make('Property Setter', {
      doctype_or_field: 'DocType',
      doc_type: 'Note',
      property: 'icon',
      property_type: 'Data',
      value: 'pencil',
    });
    const { user, doctypes, icons, site: about } = await boot({ as });
    assert.deepEqual(
      [user.name, user.full_name, user.is_system_manager, user.desk_theme],
      ['bob@example.com', 'bob', 0, ''],
    );
    assert.ok(user.roles.includes('Note Writer') && user.roles.includes('All'));
    assert.equal(about.version, version());
    assert.deepEqual(icons, { Note: 'pencil' });
    const names = separate(doctypes).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.ok(!names.includes('Webhook') && !names.includes('Audit Log'));
    for (const { name, rights } of separate(doctypes)) {
      await site.ok('GET', `/api/resource/${encodeURIComponent(name)}?limit=1`, { as });
      assert.ok(rights.includes('select'), name);
    }
    const all = separate((await boot()).doctypes).map(({ name }) => name);
    for (const name of ['DocType', 'Webhook', 'User', 'Note']) assert.ok(all.includes(name), name);
  });

  test('doctypes that are alike share an entry, by module', async () => {
    const before = await boot();
    const names = ['Alike A', 'Alike B', 'Alike C', 'Alike Tree'];
    for (const [at, name] of names.entries()) {
      await site.make('DocType', {
        name,
        module: at === 2 ? 'Other' : 'Alike',
        custom: 1,
        is_tree: at === 3 ? 1 : 0,
        autoname: at === 3 ? 'hash' : '',
        fields: [{ fieldname: 'alike', fieldtype: 'Data' }],
        title_field: 'alike',
      });
    }
    const { doctypes } = await boot();
    assert.equal(doctypes.length, before.doctypes.length + 2);
    const found = doctypes.filter((one: { title_field: string }) => one.title_field === 'alike');
    const [{ rights, ...alike }, { rights: _rights, ...tree }] = found;
    assert.ok(rights.includes('write'));
    const modules = { Alike: ['Alike A', 'Alike B'], Other: ['Alike C'] };
    assert.deepEqual(alike, { custom: 1, title_field: 'alike', modules });
    assert.deepEqual(tree, {
      custom: 1,
      is_tree: 1,
      random_names: 1,
      title_field: 'alike',
      modules: { Alike: ['Alike Tree'] },
    });
  });

  test('a limited key sees no more than it may use', async () => {
    const made = await site.request('POST', '/api/method/chancery.api_key.create', {
      body: { doctypes: ['Note'], read_only: 1, methods: ['chancery.ui.boot'] },
    });
    const { api_key: key, api_secret: secret } = made.body.message;
    const { doctypes } = await boot({ as: `token ${key}:${secret}` });
    const shown = separate(doctypes).map(({ name, rights }) => [name, rights.includes('write')]);
    // Definitions of what is in scope are open to it, too.
    assert.deepEqual(shown, [
      ['DocType', false],
      ['Note', false],
    ]);
  });

  test('users choose language, time zone and theme in their own record, within what there is', async () => {
    const as = await site.createUser('cara@example.com', []);
    const put = (body: object) => site.request('PUT', '/api/resource/User/cara@example.com', { as, body });
    const wanted = { language: 'ar', time_zone: 'Europe/Zurich', desk_theme: 'Dark' };
    assert.equal((await put(wanted)).status, 200);
    const { user } = await boot({ as });
    assert.deepEqual(
      { language: user.language, time_zone: user.time_zone, desk_theme: user.desk_theme },
      wanted,
    );
    for (const body of [{ time_zone: 'Mars/Base' }, { language: '<b>' }, { desk_theme: 'Pink' }]) {
      const refused = await put(body);
      assert.equal(refused.status, 417, refused.text);
    }
  });
});
