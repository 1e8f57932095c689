/** System Settings: what changes without a restart, at once, for everybody. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { startTestSite } from '../support/site.ts';

const PATH = '/api/resource/System%20Settings/System%20Settings';
const ORIGIN = 'https://app.example.com';

describeEitherEngine('System Settings', (engine) => {
  let clerk: string;
  const lists = { ...DEFAULT_CONFIG.lists, maxPageLength: 5_000 };
  const site = useStarted(() => startTestSite(engine, { config: { lists } }));
  before(async () => {
    const doctypes = [
      {
        name: 'Branch',
        autoname: 'prompt',
        fields: [{ fieldname: 'note', fieldtype: 'Data' }],
        permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
      },
      {
        name: 'Order',
        fields: [{ fieldname: 'branch', fieldtype: 'Link', options: 'Branch' }],
        permissions: [
          { role: 'System Manager', read: 1, write: 1, create: 1 },
          { role: 'Clerk', read: 1 },
        ],
      },
    ];
    await site.request('POST', '/api/resource/Role', { body: { role_name: 'Clerk' } });
    for (const body of doctypes) {
      await site.make('DocType', body);
    }
    clerk = await site.createUser('clerk@example.com', ['Clerk']);
  });

  const save = async (fields: Record<string, unknown>) => {
    await site.ok('PUT', PATH, { body: fields });
  };

  test('empty fields leave what the configuration says', async () => {
    const { settings } = site.site;
    assert.equal(settings.maxPageLength, 5_000);
    assert.equal(settings.maxFileBytes, DEFAULT_CONFIG.uploads.maxBytes);
    assert.equal(settings.webhookRetries, DEFAULT_CONFIG.webhooks.maxRetries);
    assert.equal(Object.isFrozen(settings), true);
    await save({ max_page_length: 2_000 });
    assert.equal(site.site.settings.maxPageLength, 2_000);
    assert.equal(settings.maxPageLength, 5_000, 'a reply under way keeps what it began with');
    await save({ max_page_length: null });
    assert.equal(site.site.settings.maxPageLength, 5_000);
  });

  test('hold from the next request on', async () => {
    const list = (length: number) =>
      site.request('GET', `/api/resource/Order?limit_page_length=${length}`, { as: clerk });
    assert.equal((await list(3_000)).status, 200);
    await save({ max_page_length: 2_000 });
    assert.equal((await list(3_000)).status, 417);
    await save({ max_page_length: 0 });
    assert.equal((await list(3_000)).status, 200);

    const modified = async () => (await site.ok('GET', `/api/resource/Role/Clerk`)).modified.length;
    const listed = async () =>
      (await site.ok('GET', '/api/resource/Role?fields=["modified"]&limit=1'))[0].modified.length;
    assert.deepEqual([await modified(), await listed()], [19, 19]);
    await save({ timestamp_precision: 'microseconds' });
    assert.deepEqual([await modified(), await listed()], [26, 26]);
    await save({ timestamp_precision: '' });
    assert.deepEqual([await modified(), await listed()], [19, 19]);
  });

  test('decide which pages of other origins may call', async () => {
    const allowed = async () =>
      (await site.request('GET', '/api/method/ping', { headers: { origin: ORIGIN } })).headers.get(
        'access-control-allow-origin',
      );
    assert.equal(await allowed(), null);
    await save({ allow_cors: `https://other.example.com\n${ORIGIN}` });
    assert.equal(await allowed(), ORIGIN);
    await save({ allow_cors: 'none' });
    assert.equal(await allowed(), null);
  });

  test('decide how uploads are kept and how large they may be', async () => {
    const upload = (bytes: number) => {
      const body = new FormData();
      body.set('file', new Blob(['x'.repeat(bytes)]), 'note.txt');
      return site.request('POST', '/api/method/upload_file', { body });
    };
    assert.equal((await upload(1)).body.message.is_private, 0);
    await save({ private_uploads: 'Yes', max_file_size: 1 });
    assert.equal((await upload(1)).body.message.is_private, 1);
    const large = await upload(1024 * 1024 + 1);
    assert.equal(large.body.exc_type, 'MaxFileSizeReachedError', large.text);
    await save({ private_uploads: '', max_file_size: 0 });
    assert.equal((await upload(1024 * 1024 + 1)).status, 200);
  });

  test('decide about links that are empty, for users already known', async () => {
    const post = (doctype: string, body: object) =>
      site.request('POST', `/api/resource/${doctype}`, { body });
    assert.equal((await post('Branch', { name: 'North' })).status, 200);
    assert.equal((await post('Order', { branch: 'North' })).status, 200);
    assert.equal((await post('Order', {})).status, 200);
    const permission = { user: 'clerk@example.com', allow: 'Branch', for_value: 'North' };
    const made = await post('User%20Permission', { ...permission, apply_to_all_doctypes: 1 });
    assert.equal(made.status, 200, made.text);
    const seen = async () => (await site.ok('GET', '/api/resource/Order', { as: clerk })).length;
    assert.equal(await seen(), 2);
    await save({ apply_strict_user_permissions: 1 });
    assert.equal(await seen(), 1);
    await save({ apply_strict_user_permissions: 0 });
    assert.equal(await seen(), 2);
  });

  test('-1 says zero where the configuration says another number', async () => {
    await save({ slow_query_milliseconds: -1, webhook_retries: -1, webhook_log_days: -1, version_days: 9 });
    const { slowAfter, webhookRetries, webhookLogDays, versionDays } = site.site.settings;
    assert.deepEqual([slowAfter, webhookRetries, webhookLogDays, versionDays], [0, 0, 0, 9]);
    await save({ slow_query_milliseconds: 0, webhook_retries: 0, webhook_log_days: 0, version_days: 0 });
    assert.equal(site.site.settings.webhookRetries, DEFAULT_CONFIG.webhooks.maxRetries);
  });

  test('times are in the unit that their field says', async () => {
    await save({ session_expiry: '1:30', allow_login_after_fail: 5 });
    const { sessionIdle, loginDelay } = site.site.settings;
    assert.deepEqual([sessionIdle, loginDelay], [90 * 60_000, 5_000]);
    await save({ session_expiry: null, allow_login_after_fail: 0 });
  });

  test('what makes no sense is refused by field, and nothing of it holds', async () => {
    const before = site.site.settings;
    for (const [fields, about] of [
      [{ session_expiry: 'soon' }, 'must be hours and minutes'],
      [{ allow_consecutive_login_attempts: -1 }, 'Allow Consecutive Login Attempts must be'],
      [{ max_page_length: 7 }, 'Max Page Length must be a whole number from 1000'],
      [{ max_file_size: -3 }, 'Max File Size (MB) must be'],
      [{ webhook_retries: 51 }, 'Webhook Retries must be'],
      [{ version_days: 99_999, activity_days: -2 }, 'Activity (Days) must be'],
      [{ allow_cors: 'app.example.com' }, 'Allow CORS must name origins'],
      [{ allow_cors: 'https://app.example.com/' }, 'Allow CORS must name origins'],
      [{ timestamp_precision: 'hours' }, 'Timestamp Precision'],
      [{ private_uploads: 'Perhaps' }, 'Private Uploads'],
    ] as const) {
      const reply = await site.request('PUT', PATH, { body: fields });
      assert.equal(reply.status, 417, JSON.stringify(fields));
      assert.ok(reply.text.includes(about), reply.text);
    }
    assert.equal(site.site.settings, before);
  });

  test('belong to System Managers', async () => {
    const single = (as?: string) =>
      site.request('POST', '/api/method/frappe.client.get_single_value', {
        body: { doctype: 'System Settings', field: 'max_page_length' },
        as,
      });
    await save({ max_page_length: 3_000 });
    const manager = await site.createUser('manager@example.com', ['System Manager']);
    assert.equal((await single(manager)).body.message, 3_000);
    for (const reply of [
      await single(clerk),
      await site.request('GET', PATH, { as: clerk }),
      await site.request('PUT', PATH, { as: clerk, body: { max_page_length: 9_000 } }),
      await site.request('GET', PATH, { as: null }),
    ]) {
      assert.equal(reply.status, 403, reply.text);
    }
    assert.equal(site.site.settings.maxPageLength, 3_000);
    const known = await site.request('GET', '/api/method/frappe.client.get_time_zone', { as: null });
    assert.deepEqual(known.body.message, { time_zone: 'UTC' });
  });

  test('a transaction that fails changes nothing', async () => {
    const before = site.site.settings;
    const reply = await site.request('PUT', PATH, {
      body: { version_days: 5 },
      headers: { 'if-match': '"0"' },
    });
    assert.equal(reply.status, 412);
    assert.equal(site.site.settings, before);
  });
});
