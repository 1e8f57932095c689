/** What a deletion leaves behind, and getting it back. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { historySite } from '../support/history-site.ts';

const SITE = {
  config: { history: { versionDays: 0, deletedDays: 0, activityDays: 0, forgetDeleted: ['Role'] } },
};

describeEither('deleted documents', historySite(SITE), (site) => {
  let dealer: string;
  let manager: string;
  before(async () => {
    dealer = await site.createUser('dealer@example.com', ['Dealer']);
    manager = await site.createUser('manager@example.com', ['System Manager', 'Dealer']);
  });

  // biome-ignore lint/suspicious/noExplicitAny: rows of every shape
  async function deleted(name: string, doctype = 'Deal'): Promise<any> {
    const filters = { deleted_doctype: doctype, deleted_name: name };
    const rows = await site.rows('Deleted Document', filters, ['*']);
    return rows.at(-1);
  }
  const restore = (name: string, as?: string) => site.rpc('chancery.restore_document', { name }, as);

  test('a deletion keeps the document as it was, without its passwords', async () => {
    await site.did(
      'POST',
      'Deal',
      { name: 'D1', title: 'Kept', token: 'very-secret', lines: [{ item: 'A', qty: 2 }] },
      dealer,
    );
    await site.did('DELETE', 'Deal/D1', undefined, dealer);
    const record = await deleted('D1');
    assert.equal(record.owner, 'dealer@example.com');
    assert.equal(record.restored, 0);
    const data = JSON.parse(record.data);
    assert.equal(data.title, 'Kept');
    assert.equal(data.lines[0].item, 'A');
    assert.ok(!('token' in data));
  });

  test('restored under its old name, with its rows and read-only values, when that is free', async () => {
    const made = await site.did('POST', 'Deal', {
      name: 'D2',
      title: 'Back',
      amount: 7,
      margin: 3,
      lines: [
        { item: 'A', qty: 1, cost: 9 },
        { item: 'B', qty: 2 },
      ],
    });
    await site.site.database.transaction((db) =>
      db.run({ text: `update "Deal" set "sealed" = 'yes' where "name" = 'D2'`, values: [] }),
    );
    await site.call('frappe.desk.doctype.tag.tag.add_tag', { tag: 'hot', dt: 'Deal', dn: 'D2' });
    await site.did('DELETE', 'Deal/D2');
    const record = await deleted('D2');
    const message = await site.call('chancery.restore_document', { name: record.name });
    assert.deepEqual([message.doctype, message.name], ['Deal', 'D2']);
    assert.match(message.notes[0], /Attachments, passwords/);
    const back = await site.did('GET', 'Deal/D2');
    const { creation: _c, modified: _m, ...fields } = back;
    assert.equal(fields.title, 'Back');
    assert.equal(fields.sealed, 'yes');
    assert.equal(fields.margin, 3);
    assert.equal(fields._user_tags, ',hot');
    assert.deepEqual(
      back.lines.map((row: Record<string, unknown>) => [row.name, row.item, row.qty, row.cost]),
      made.lines.map((row: Record<string, unknown>) => [row.name, row.item, row.qty, row.cost]),
    );
    const after = await deleted('D2');
    assert.deepEqual([after.restored, after.new_name], [1, 'D2']);
    assert.deepEqual(await site.comments('D2'), [
      'Edit: restored <strong>D2</strong> as <strong>D2</strong>',
    ]);
    const again = await restore(record.name);
    assert.equal(again.status, 417);
    assert.match(again.text, /already restored/);
  });

  test('under another name when the old one is taken', async () => {
    await site.did('POST', 'Deal', { name: 'D3', title: 'first', lines: [{ item: 'A' }] });
    await site.did('DELETE', 'Deal/D3');
    await site.did('POST', 'Deal', { name: 'D3', title: 'second' });
    const record = await deleted('D3');
    const message = await site.call(
      'frappe.core.doctype.deleted_document.deleted_document.restore',
      { name: record.name, alert: true },
      manager,
    );
    assert.equal(message.name, 'D3-1');
    assert.equal((await site.did('GET', 'Deal/D3-1')).title, 'first');
    assert.equal((await site.did('GET', 'Deal/D3-1')).lines.length, 1);
    assert.equal((await site.did('GET', 'Deal/D3')).title, 'second');
    assert.equal((await deleted('D3')).new_name, 'D3-1');

    const plain = await site.did('POST', 'Plain', { title: 'hashed' });
    await site.did('DELETE', `Plain/${plain.name}`);
    const kept = await deleted(plain.name, 'Plain');
    assert.equal((await site.call('chancery.restore_document', { name: kept.name })).name, plain.name);
  });

  test('a cancelled document comes back as a draft', async () => {
    await site.did('POST', 'Deal', { name: 'D4' });
    await site.did('PUT', 'Deal/D4', { docstatus: 1 });
    await site.did('PUT', 'Deal/D4', { docstatus: 2 });
    await site.did('DELETE', 'Deal/D4');
    const message = await site.call('chancery.restore_document', { name: (await deleted('D4')).name });
    assert.ok(message.notes.some((note: string) => note.includes('draft')));
    assert.equal((await site.did('GET', 'Deal/D4')).docstatus, 0);
  });

  test('only System Managers see, restore and erase what was deleted; nobody writes it', async () => {
    await site.did('POST', 'Deal', { name: 'D5' }, dealer);
    await site.did('DELETE', 'Deal/D5', undefined, dealer);
    const { name } = await deleted('D5');
    assert.equal((await site.ask('GET', 'Deleted Document', undefined, dealer)).status, 403);
    assert.equal((await site.ask('GET', `Deleted Document/${name}`, undefined, dealer)).status, 403);
    assert.equal((await restore(name, dealer)).status, 403);
    assert.equal((await restore('missing', dealer)).status, 403);
    assert.equal((await restore('missing', manager)).status, 404);
    assert.equal((await restore('', manager)).status, 417);
    for (const as of [manager, undefined]) {
      const forged = await site.ask('POST', 'Deleted Document', { deleted_doctype: 'Deal', data: '{}' }, as);
      assert.equal(forged.status, 403, forged.text);
      assert.equal((await site.ask('PUT', `Deleted Document/${name}`, { data: '{}' }, as)).status, 403);
    }
    await site.did('DELETE', `Deleted Document/${name}`, undefined, manager);
    assert.equal(await deleted('D5'), undefined);
  });

  test('fields sent along replace what cannot come back', async () => {
    const fields = [
      { fieldname: 'deal', label: 'Deal', fieldtype: 'Link', options: 'Deal' },
      { fieldname: 'pin', label: 'PIN', fieldtype: 'Password', reqd: 1 },
    ];
    await site.did('POST', 'DocType', { name: 'Locker', autoname: 'Prompt', fields });
    await site.did('POST', 'Deal', { name: 'D8' });
    await site.did('POST', 'Locker', { name: 'L1', deal: 'D8', pin: 'old' });
    await site.did('DELETE', 'Locker/L1');
    await site.did('DELETE', 'Deal/D8');
    const { name } = await deleted('L1', 'Locker');
    assert.match((await restore(name)).text, /Could not find Deal: D8/);
    assert.match((await site.rpc('chancery.restore_document', { name, doc: { deal: '' } })).text, /PIN/);
    assert.equal((await site.rpc('chancery.restore_document', { name, doc: [1] })).status, 417);
    await site.call('chancery.restore_document', { name, doc: { deal: '', pin: 'new' } });
    assert.equal((await site.did('GET', 'Locker/L1')).deal, undefined);
  });

  test('a restoration obeys the rules of a creation, and leaves nothing when it fails', async () => {
    const lone = await site.createUser('lone@example.com', ['System Manager']);
    await site.did('POST', 'Deal', { name: 'D6' });
    await site.did('DELETE', 'Deal/D6');
    const { name } = await deleted('D6');
    // A System Manager who may not create deals.
    assert.equal((await restore(name, lone)).status, 403);
    assert.equal((await deleted('D6')).restored, 0);
    assert.equal((await site.ask('GET', 'Deal/D6')).status, 404);
  });

  test('records, files and the doctypes of forgetDeleted leave nothing', async () => {
    const file = await site.did('POST', 'File', { file_name: 'y.txt', content: 'y' });
    await site.did('DELETE', `File/${file.name}`);
    assert.equal(await deleted(file.name, 'File'), undefined);
    await site.did('POST', 'Role', { role_name: 'Short Lived' });
    await site.did('DELETE', 'Role/Short Lived');
    assert.equal(await deleted('Short Lived', 'Role'), undefined);
    const comment = await site.did('POST', 'Comment', {
      reference_doctype: 'Role',
      reference_name: 'Dealer',
      content: 'x',
    });
    await site.did('DELETE', `Comment/${comment.name}`);
    assert.equal(await deleted(comment.name, 'Comment'), undefined);
  });

  test('a deletion that is refused leaves nothing', async () => {
    await site.did('POST', 'Deal', { name: 'D7' });
    await site.did('PUT', 'Deal/D7', { docstatus: 1 });
    assert.equal((await site.ask('DELETE', 'Deal/D7')).status, 417);
    assert.equal(await deleted('D7'), undefined);
  });

  test('a document of a doctype that is gone cannot be restored, in words', async () => {
    await site.did('POST', 'DocType', {
      name: 'Fleeting',
      fields: [{ fieldname: 'a', fieldtype: 'Data' }],
    });
    const { name } = await site.did('POST', 'Fleeting', { a: '1' });
    await site.did('DELETE', `Fleeting/${name}`);
    await site.did('DELETE', 'DocType/Fleeting');
    const reply = await restore((await deleted(name, 'Fleeting')).name);
    assert.equal(reply.status, 417);
    // The doctype itself comes back, and then so does the document.
    await site.call('chancery.restore_document', { name: (await deleted('Fleeting', 'DocType')).name });
    await site.call('chancery.restore_document', { name: (await deleted(name, 'Fleeting')).name });
    assert.equal((await site.did('GET', `Fleeting/${name}`)).a, '1');
  });
});
