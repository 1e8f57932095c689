/** Notifications: who is told of mentions, assignments, shares and changes, and what nobody else sees. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sql } from '../../src/db/sql.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { insertRecords } from '../../src/standard/history/records.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import { listen } from '../support/events.ts';
import { historySite } from '../support/history-site.ts';
import { startMailbox } from '../support/mailbox.ts';

const LOG = 'frappe.desk.doctype.notification_log.notification_log';
const LONG_AGO = '2020-01-01 00:00:00.000000';
const FOLLOW = 'frappe.desk.form.document_follow';

describeEitherEngine('notifications', (engine) => {
  const mailbox = useStarted(startMailbox);
  const site = useStarted(() =>
    historySite({
      config: { siteUrl: 'https://crm.example.com', mail: { url: mailbox.url, from: 'crm@example.com' } },
    })(engine),
  );
  let ann: string;
  let bob: string;
  let sharer: string;
  let outsider: string;
  before(async () => {
    await site.make('Role', { role_name: 'Sharer' });
    await site.make('Custom DocPerm', { parent: 'Deal', role: 'Sharer', read: 1, share: 1 });
    ann = await site.createUser('ann@example.com', ['Dealer']);
    bob = await site.createUser('bob@example.com', ['Dealer', 'Viewer']);
    sharer = await site.createUser('sharer@example.com', ['Sharer']);
    outsider = await site.createUser('outsider@example.com', []);
    for (const role of ['Dealer', 'Viewer']) {
      const rights = { read: 1, write: 1, create: 1, delete: 1, submit: 1, cancel: 1 };
      await site.make('Custom DocPerm', {
        parent: 'Deal',
        role,
        ...(role === 'Dealer' ? rights : { read: 1 }),
      });
    }
  });

  let made = 0;
  async function deal(as?: string): Promise<string> {
    made += 1;
    return (await site.did('POST', 'Deal', { name: `N${made}` }, as)).name;
  }
  /** The caller's notifications about a document, newest first. */
  async function told(name: string, as: string): Promise<string[]> {
    const { notification_logs } = await site.call(`${LOG}.get_notification_logs`, { limit: 100 }, as);
    return notification_logs
      .filter((log: { document_name: string }) => log.document_name === name)
      .map((log: Record<string, unknown>) => `${log['type']} ${log['action']} ${log['from_user']}`);
  }
  const mention = (...users: string[]) =>
    users.map((user) => `<span class="mention" data-id="${user}" data-value="x">@x</span>`).join(' ');
  const say = (name: string, content: string, as?: string) =>
    site.ask('POST', 'Comment', { reference_doctype: 'Deal', reference_name: name, content }, as);
  const follow = (verb: string, name: string, as: string, more: object = {}) =>
    site.rpc(`${FOLLOW}.${verb}`, { doctype: 'Deal', doc_name: name, ...more }, as);

  test('mentions, assignments and shares notify their user, once, and never oneself', async () => {
    const cases: readonly [what: string, act: (name: string) => Promise<unknown>, expected: string[]][] = [
      ['a mention', (name) => say(name, `Hi ${mention('bob@example.com')}`, ann), ['Mention mentioned ann']],
      [
        'two mentions of one user',
        (name) => say(name, mention('bob@example.com', 'bob@example.com'), ann),
        ['Mention mentioned ann'],
      ],
      ['an address without a mention', (name) => say(name, 'bob@example.com @bob', ann), []],
      ['a mention of nobody', (name) => say(name, mention('nobody@example.com', ''), ann), []],
      ['oneself', (name) => say(name, mention('bob@example.com'), bob), []],
      [
        'an assignment',
        (name) =>
          site.call(
            'frappe.desk.form.assign_to.add',
            { doctype: 'Deal', name, assign_to: ['bob@example.com'] },
            ann,
          ),
        ['Assignment assigned ann'],
      ],
      [
        'a share',
        (name) => site.call('frappe.share.add', { doctype: 'Deal', name, user: 'bob@example.com' }),
        ['Share shared Administrator'],
      ],
      [
        'a like',
        (name) => site.call('frappe.desk.like.toggle_like', { doctype: 'Deal', name, add: 'Yes' }, ann),
        [],
      ],
    ];
    for (const [what, act, expected] of cases) {
      const name = await deal();
      await act(name);
      const found = (await told(name, bob)).map((line) => line.replace('@example.com', ''));
      assert.deepEqual(found, expected, what);
    }
  });

  test('an edited comment notifies the users that it mentions anew', async () => {
    const name = await deal();
    const { body } = await say(name, mention('bob@example.com'), ann);
    const content = mention('bob@example.com', 'sharer@example.com');
    await site.did('PUT', `Comment/${body.data.name}`, { content }, ann);
    assert.deepEqual(await told(name, bob), ['Mention mentioned ann@example.com']);
    assert.deepEqual(await told(name, sharer), ['Mention mentioned ann@example.com']);
  });

  test('an assignment that shares the document notifies once', async () => {
    const name = await deal();
    const assign = { doctype: 'Deal', name, assign_to: ['outsider@example.com'] };
    await site.call('frappe.desk.form.assign_to.add', assign);
    assert.deepEqual(await told(name, outsider), ['Assignment assigned Administrator']);
  });

  test('who may not read the document is told nothing, and who loses the right sees nothing more', async () => {
    const name = await deal();
    assert.equal((await say(name, mention('outsider@example.com', 'bob@example.com'), ann)).status, 200);
    assert.deepEqual(await told(name, outsider), []);
    const share = { doctype: 'Deal', name, user: 'outsider@example.com' };
    await site.call('frappe.share.add', share);
    await say(name, mention('outsider@example.com'), ann);
    assert.deepEqual(await told(name, outsider), [
      'Mention mentioned ann@example.com',
      'Share shared Administrator',
    ]);
    const unread = async () => (await site.call(`${LOG}.get_notification_logs`, {}, outsider)).unread;
    const [before] = [await unread()];
    await site.call('frappe.share.remove', share);
    assert.deepEqual(await told(name, outsider), []);
    assert.equal(await unread(), before - 2);
    const rows = await site.rows('Notification Log', { document_name: name }, ['name', 'subject'], outsider);
    assert.deepEqual(rows, []);
  });

  test('nobody else reads, writes, makes or deletes a notification', async () => {
    const name = await deal();
    await say(name, mention('bob@example.com'), ann);
    const [{ name: log }] = await site.rows('Notification Log', { document_name: name }, ['name'], bob);
    for (const as of [ann, sharer, outsider, undefined]) {
      assert.equal(
        (await site.ask('GET', `Notification%20Log/${log}`, undefined, as)).status,
        403,
        String(as),
      );
      assert.equal(
        (await site.ask('PUT', `Notification%20Log/${log}`, { read: 1 }, as)).status,
        403,
        String(as),
      );
      assert.equal((await site.rpc(`${LOG}.mark_as_read`, { docname: log }, as)).status, 403, String(as));
      assert.equal(
        (await site.ask('DELETE', `Notification%20Log/${log}`, undefined, as)).status,
        403,
        String(as),
      );
      const rows = await site.rows('Notification Log', { document_name: name }, ['name'], as);
      assert.deepEqual(rows, [], String(as));
      const forged = { for_user: 'bob@example.com', subject: 'You won', type: 'Alert' };
      assert.equal((await site.ask('POST', 'Notification%20Log', forged, as)).status, 403, String(as));
    }
    const changed = { read: 1, subject: 'Other', for_user: 'ann@example.com', document_name: 'N1' };
    const doc = await site.did('PUT', `Notification%20Log/${log}`, changed, bob);
    assert.deepEqual(
      [doc.read, doc.for_user, doc.document_name, doc.subject],
      [1, 'bob@example.com', name, 'ann mentioned you in a comment (Deal)'],
    );
  });

  test('notifications are counted, marked as read, one or all, and the boot has their number', async () => {
    const cara = await site.createUser('cara@example.com', ['Viewer']);
    const unread = async () => (await site.call('chancery.ui.boot', {}, cara)).unread;
    for (let count = 0; count < 3; count += 1) await say(await deal(), mention('cara@example.com'), ann);
    assert.equal(await unread(), 3);
    const stream = await listen(site.url, 'doctype=Notification%20Log', site.keyOf(cara));
    assert.equal((await stream.next())?.event, 'open');
    const { notification_logs: logs, user_info } = await site.call(`${LOG}.get_notification_logs`, {}, cara);
    assert.deepEqual(user_info, {
      'ann@example.com': { name: 'ann@example.com', fullname: 'ann', image: '' },
    });
    await site.call(`${LOG}.mark_as_read`, { docname: logs[1].name }, cara);
    assert.equal(await stream.change(), `on_update ${logs[1].name}`);
    assert.equal(await unread(), 2);
    await site.call(`${LOG}.mark_all_as_read`, {}, cara);
    assert.match(await stream.change(), /^on_mark /);
    assert.equal(await unread(), 0);
    await say(await deal(), mention('cara@example.com'), ann);
    assert.match(await stream.change(), /^after_insert /);
    await stream.close();
  });

  test('followers are told of changes and comments by others, once until they read it', async () => {
    const name = await deal();
    assert.equal((await follow('follow_document', name, bob)).body.message, true);
    assert.equal((await follow('follow_document', name, bob)).body.message, true);
    await site.did('PUT', `Deal/${name}`, { title: 'Mine' }, bob);
    assert.deepEqual(await told(name, bob), []);
    await site.did('PUT', `Deal/${name}`, { title: 'Other' }, ann);
    assert.deepEqual(await told(name, bob), ['Alert changed ann@example.com']);
    await say(name, 'Look', ann);
    assert.deepEqual(await told(name, bob), ['Alert commented ann@example.com']);
    await site.call(`${LOG}.mark_all_as_read`, {}, bob);
    await site.did('PUT', `Deal/${name}`, { docstatus: 1 }, ann);
    assert.deepEqual(await told(name, bob), [
      'Alert submitted ann@example.com',
      'Alert commented ann@example.com',
    ]);
    await say(name, mention('bob@example.com'), ann);
    assert.equal((await told(name, bob))[0], 'Mention mentioned ann@example.com');
    assert.equal((await follow('unfollow_document', name, bob)).body.message, true);
    assert.equal((await follow('unfollow_document', name, bob)).body.message, false);
    await site.did('PUT', `Deal/${name}`, { docstatus: 2 }, ann);
    assert.equal((await told(name, bob)).length, 3);
  });

  test('following takes the right to read, now and at each change, and only oneself', async () => {
    const name = await deal();
    assert.equal((await follow('follow_document', name, outsider)).status, 403);
    assert.equal((await follow('follow_document', 'missing', outsider)).status, 403);
    assert.equal((await follow('follow_document', 'missing', bob)).status, 404);
    assert.equal((await follow('follow_document', name, bob, { user: 'ann@example.com' })).status, 403);
    const share = { doctype: 'Deal', name, user: 'outsider@example.com' };
    await site.call('frappe.share.add', share);
    await follow('update_follow', name, outsider, { following: 1 });
    for (const as of [bob, undefined]) {
      const rows = await site.rows('Document Follow', { ref_docname: name }, ['user'], as);
      assert.deepEqual(rows, []);
    }
    await site.call('frappe.share.remove', share);
    await site.did('PUT', `Deal/${name}`, { title: 'Other' }, ann);
    await site.call('frappe.share.add', share);
    assert.deepEqual(await told(name, outsider), [
      'Share shared Administrator',
      'Share shared Administrator',
    ]);
    await site.did('PUT', `Deal/${name}`, { title: 'Another' }, ann);
    assert.equal((await told(name, outsider))[0], 'Alert changed ann@example.com');
  });

  test('renames move notifications and follows; deletions take them along', async () => {
    const name = await deal();
    await follow('follow_document', name, bob);
    await say(name, mention('bob@example.com'), ann);
    const rename = { doctype: 'Deal', old_name: name, new_name: `${name}-new` };
    await site.call('frappe.client.rename_doc', rename);
    assert.deepEqual(await told(`${name}-new`, bob), [
      'Alert renamed Administrator',
      'Mention mentioned ann@example.com',
    ]);
    await site.did('DELETE', `Deal/${name}-new`);
    assert.deepEqual(await told(`${name}-new`, bob), []);
    assert.deepEqual(await site.rows('Document Follow', { ref_docname: `${name}-new` }, ['name'], bob), []);
    const { site: open } = site;
    const left = await open.database.reader.all(
      sql`select 1 from "Notification Log" where "document_name" = ${`${name}-new`}`,
    );
    assert.deepEqual(left, []);
  });

  test('mentions, followers and follows have limits', async () => {
    const name = await deal();
    const users = Array.from({ length: LIMITS.mentions + 1 }, (_, at) => `u${at}@example.com`);
    assert.equal((await say(name, mention(...users), ann)).status, 417);
    assert.equal((await say(name, mention(...users.slice(1)), ann)).status, 200);
    const { site: open } = site;
    await unitOfWork(open, ADMINISTRATOR, async (ctx) => {
      const fields = { ref_doctype: 'Deal', ref_docname: name, user: 'Administrator' };
      const follows = Array.from({ length: LIMITS.followers }, () => ({
        user: 'Administrator',
        at: LONG_AGO,
        fields,
      }));
      await insertRecords(ctx, ctx.doctypes.get('Document Follow'), follows);
    });
    assert.equal((await follow('follow_document', name, bob)).status, 417);
    assert.equal((await follow('follow_document', await deal(), bob)).status, 200);
  });

  test('users to mention: those whom the caller may select and who may read the document', async () => {
    const name = await deal();
    const desk = await site.createUser('desk@example.com', ['Dealer', 'Desk User']);
    const off = await site.createUser('off@example.com', ['Dealer']);
    await site.did('PUT', 'User/off@example.com', { enabled: 0 });
    assert.ok(off);
    const cases: readonly [what: string, as: string | undefined, args: object, expected: unknown][] = [
      ['readers', desk, { search_term: 'ann', doctype: 'Deal', name }, ['ann@example.com']],
      ['one who may not read', desk, { search_term: 'outsider', doctype: 'Deal', name }, []],
      ['a disabled one', desk, { search_term: 'off@', doctype: 'Deal', name }, []],
      ['the guest', desk, { search_term: 'Guest', doctype: 'Deal', name }, []],
      ['without a document', desk, { search_term: 'outsider' }, ['outsider@example.com']],
      ['for one who may select no users', ann, { search_term: 'ann', doctype: 'Deal', name }, []],
      ['about a hidden document', outsider, { search_term: 'ann', doctype: 'Deal', name }, 403],
      ['about a missing document', desk, { search_term: 'ann', doctype: 'Deal', name: 'missing' }, 403],
    ];
    for (const [what, as, args, expected] of cases) {
      const { status, body } = await site.rpc('frappe.desk.search.get_names_for_mentions', args, as);
      const found = status === 200 ? body.message.map((one: { id: string }) => one.id) : status;
      assert.deepEqual(found, expected, what);
    }
    const all = await site.call('frappe.desk.search.get_names_for_mentions', { doctype: 'Deal', name });
    assert.ok(all.length <= LIMITS.mentionable);
  });

  test('a mention mails a link without any content, once until it is read', async () => {
    const name = await deal();
    await site.did('PUT', `Deal/${name}`, { title: 'Top secret title' });
    const mails = async (act: () => Promise<unknown>) => {
      await site.site.mailer.settled();
      const start = mailbox.mails.length;
      await act();
      await site.site.mailer.settled();
      return mailbox.mails.slice(start);
    };
    const [mail, ...more] = await mails(() =>
      say(name, `Top secret words ${mention('bob@example.com', 'outsider@example.com')}`, ann),
    );
    assert.deepEqual(more, []);
    assert.deepEqual(mail?.to, ['bob@example.com']);
    const raw = String(mail?.raw).replaceAll('=\r\n', '');
    assert.match(raw, /Subject: ann mentioned you in a comment \(Deal\)/);
    assert.ok(raw.includes(`https://crm.example.com/app/d/Deal/${name}`), raw);
    assert.doesNotMatch(raw, /secret/);
    assert.deepEqual(await mails(() => say(name, mention('bob@example.com'), ann)), []);
    await site.call(`${LOG}.mark_all_as_read`, {}, bob);
    assert.equal((await mails(() => say(name, mention('bob@example.com'), ann))).length, 1);
  });
});
