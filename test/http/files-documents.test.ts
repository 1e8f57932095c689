/** File documents and folders through the generic endpoints, on both engines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite, MAX_BYTES, PNG } from '../support/files.ts';
import { until } from '../support/until.ts';
import { assertEnvelope } from '../support/wire.ts';

describeEither('File documents', fileSite(), (files) => {
  const { stored, create, get, keys } = files;

  test('content may come inside the document, as text or base64', async () => {
    const make = (fields: Record<string, unknown>) =>
      files.request('POST', '/api/resource/File', { body: fields });
    const text = await make({ file_name: 'inline.txt', content: 'grüße' });
    assert.equal((await get(text.body.data.file_url)).text, 'grüße');
    const coded = await make({
      file_name: 'coded.png',
      decode: true,
      content: `data:image/png;base64,${PNG.toString('base64')}`,
    });
    assert.equal(coded.body.data.file_size, PNG.length);
    assert.equal((await get(coded.body.data.file_url)).headers.get('content-type'), 'image/png');
    assertEnvelope(await make({ file_name: 'x', decode: 1, content: 'not base64!' }), 'ValidationError');
    assertEnvelope(await make({ content: 'no name' }), 'MandatoryError');
    assertEnvelope(await make({ file_name: 'x', content: { a: 1 } }), 'ValidationError');
    assertEnvelope(
      await make({ file_name: 'x', content: 'x'.repeat(MAX_BYTES + 1) }),
      'MaxFileSizeReachedError',
    );
    assertEnvelope(await make({ file_name: 'nothing.txt' }), 'MandatoryError');
  });

  test('what the server owns cannot be claimed', async () => {
    const { body } = await files.request('POST', '/api/resource/File', {
      body: {
        file_name: 'o.txt',
        content: 'x',
        file_size: 99,
        content_hash: 'h',
        file_type: 'EXE',
        is_home_folder: 1,
      },
    });
    assert.equal(body.data.file_size, 1);
    assert.match(body.data.content_hash, /^[0-9a-f]{64}$/);
    assert.equal(body.data.file_type, 'TXT');
    assert.equal(body.data.is_home_folder, 0);
    await files.ok('PUT', file(body.data.name), { body: body.data });
    const changed = await files.request('PUT', file(body.data.name), {
      body: { file_size: 5, content_hash: 'h' },
    });
    assert.equal(changed.body.data.file_size, 1);
    const moved = await files.request('PUT', file(body.data.name), {
      body: { file_url: '/files/hello.txt' },
    });
    assertEnvelope(moved, 'CannotChangeConstantError');
  });

  test('a url gives no access to bytes its writer could not read', async () => {
    const secret = await stored('claim.txt', 'secret', { is_private: '1' }, 'writer');
    const claim = (file_url: string, as: string) =>
      files.request('POST', '/api/resource/File', { body: { file_url }, as });
    const refused = await claim(secret.file_url, 'outsider');
    assertEnvelope(refused, 'PermissionError');
    const unknown = await claim('/private/files/unknown.txt', 'outsider');
    assert.equal(unknown.text.replaceAll('unknown', 'claim'), refused.text);
    const own = await claim(secret.file_url, 'writer');
    assert.equal(own.status, 200, own.text);
    assert.equal(own.body.data.is_private, 1);
  });

  test('a file of someone else is theirs to change and delete', async () => {
    const doc = await stored('theirs.txt', 'x', {}, 'writer');
    assert.equal((await get(file(doc.name), 'outsider')).status, 200);
    const put = await files.request('PUT', file(doc.name), { body: { is_private: 1 }, as: 'outsider' });
    assertEnvelope(put, 'PermissionError');
    assertEnvelope(await files.request('DELETE', file(doc.name), { as: 'outsider' }), 'PermissionError');
    const note = await create('Note', {});
    const onNote = { doctype: 'Note', docname: note, is_private: '1' };
    const attached = await stored('on-note.txt', 'x', onNote);
    assertEnvelope(await get(file(attached.name), 'outsider'), 'PermissionError');
    assert.equal((await get(file(attached.name), 'reader')).status, 200);
    assertEnvelope(await files.request('DELETE', file(attached.name), { as: 'reader' }), 'PermissionError');
    await files.ok('DELETE', file(attached.name), { as: 'writer' });
  });

  test('the list shows what can be opened, and no more', async () => {
    const note = await create('Note', {});
    await stored('l1.txt', 'x', { doctype: 'Note', docname: note, is_private: '1' });
    await stored('l2.txt', 'x', { is_private: '1' });
    await stored('l3.txt', 'x', { is_private: '1' }, 'outsider');
    const own = await create('Case', { subject: 'S' });
    await stored('l4.txt', 'x', { doctype: 'Case', docname: own, is_private: '1' });
    for (const as of ['writer', 'reader', 'outsider']) {
      const { body } = await get('/api/resource/File?limit_page_length=500', as);
      assert.ok(body.data.length > 0);
      for (const { name } of body.data) assert.equal((await get(file(name), as)).status, 200, name);
      const shown = await get(`/api/method/frappe.client.get_count?doctype=File`, as);
      assert.equal(shown.body.message, body.data.length);
    }
    const names = async (as: string) => {
      const query = new URLSearchParams({
        fields: '["file_name"]',
        filters: '[["file_name","like","l_.txt"]]',
      });
      const { body } = await get(`/api/resource/File?${query}`, as);
      return body.data.map((row: { file_name: string }) => row.file_name).sort();
    };
    assert.deepEqual(await names('reader'), ['l1.txt']);
    assert.deepEqual(await names('outsider'), ['l3.txt']);
  });

  test('users without access to the desk list their own files, and read the others that they may', async () => {
    const note = await create('Note', {});
    const name = await create('Case', { subject: 'V' }, 'visitor');
    const attached = await stored('v1.txt', 'x', { doctype: 'Case', docname: name, is_private: '1' });
    const open = await stored('v2.txt', 'x');
    await stored('v3.txt', 'x', { doctype: 'Note', docname: note, is_private: '1' });
    const own = await stored('v4.txt', 'x', { is_private: '1' }, 'visitor');
    const all = await get('/api/resource/File?limit_page_length=500', 'visitor');
    assert.deepEqual(all.body.data, [{ name: own.name }]);
    const count = await get('/api/method/frappe.client.get_count?doctype=File', 'visitor');
    assert.equal(count.body.message, 1);
    const folder = await get('/api/method/frappe.core.api.file.get_files_in_folder?folder=Home', 'visitor');
    assert.deepEqual(
      folder.body.message.files.map((row: { name: string }) => row.name),
      [own.name],
    );
    for (const doc of [attached, open, own]) {
      assert.equal((await get(file(doc.name), 'visitor')).status, 200);
      assert.equal((await get(doc.file_url, 'visitor')).status, 200);
    }
    const form = await get(`/api/v2/document/Case/${name}?include=attachments`, 'visitor');
    assert.deepEqual(form.body.attachments, [
      { name: attached.name, file_name: 'v1.txt', file_url: attached.file_url, is_private: 1 },
    ]);
  });

  test('turning private moves the url for all who share it, and the field that holds it', async () => {
    const docname = await create('Case', { subject: 'photo' });
    const doc = await stored('photo.png', PNG, { doctype: 'Case', docname, fieldname: 'photo' });
    await files.request('PUT', `/api/resource/Case/${docname}`, { body: { photo: doc.file_url } });
    const { body: shared } = await files.request('POST', '/api/resource/File', {
      body: { file_url: doc.file_url },
    });
    const { body } = await files.request('PUT', file(doc.name), { body: { is_private: 1 } });
    assert.match(body.data.file_url, /^\/private\/files\/photo.*\.png$/);
    assert.equal((await get(doc.file_url)).status, 404);
    assert.equal((await get(body.data.file_url)).status, 403);
    assert.equal((await get(body.data.file_url, `token ${files.adminKey}`)).status, 200);
    const other = await get(file(shared.data.name), `token ${files.adminKey}`);
    assert.equal(other.body.data.file_url, body.data.file_url);
    assert.equal(other.body.data.is_private, 1);
    const case_ = await get(`/api/resource/Case/${docname}`, `token ${files.adminKey}`);
    assert.equal(case_.body.data.photo, body.data.file_url);
    const back = await files.request('PUT', file(doc.name), { body: { is_private: 0 } });
    assert.equal((await get(back.body.data.file_url)).status, 200);
  });

  test('whoever shares bytes cannot publish them over the head of their owner', async () => {
    const note = await create('Note', {});
    const doc = await stored('shared.txt', 'x', { doctype: 'Note', docname: note, is_private: '1' });
    const { body } = await files.request('POST', '/api/resource/File', {
      body: { file_url: doc.file_url },
      as: 'reader',
    });
    const publish = await files.request('PUT', file(body.data.name), {
      body: { is_private: 0 },
      as: 'reader',
    });
    assertEnvelope(publish, 'PermissionError');
    assert.equal((await get(doc.file_url)).status, 403);
  });

  test('a File moves only to documents its writer may write', async () => {
    const note = await create('Note', {});
    const doc = await stored('wander.txt', 'x', {}, 'reader');
    const attach = (fields: Record<string, unknown>, as: string) =>
      files.request('PUT', file(doc.name), { body: fields, as });
    const target = { attached_to_doctype: 'Note', attached_to_name: note };
    assertEnvelope(await attach(target, 'reader'), 'PermissionError');
    assert.equal((await attach(target, `token ${files.adminKey}`)).status, 200);
  });

  test('bytes go with the last File that has them', async () => {
    const before = await keys();
    const doc = await stored('counted.txt', 'counted');
    const { body: second } = await files.request('POST', '/api/resource/File', {
      body: { file_url: doc.file_url },
    });
    assert.equal(await keys(), before + 1);
    await files.ok('DELETE', file(doc.name));
    assert.equal((await get(doc.file_url)).status, 200);
    await files.ok('DELETE', file(second.data.name));
    assert.equal((await get(doc.file_url)).status, 404);
    await until(async () => (await keys()) === before);
    // The name is free again.
    assert.equal((await stored('counted.txt', 'y')).file_url, doc.file_url);
  });

  test('a deleted document takes its attachments along; a renamed one keeps them', async () => {
    const note = await create('Note', {}, 'writer');
    const doc = await stored('goes.txt', 'x', { doctype: 'Note', docname: note, is_private: '1' });
    await files.call(
      'frappe.client.rename_doc',
      { doctype: 'Note', old_name: note, new_name: `${note}-renamed` },
      'writer',
    );
    assert.equal((await get(doc.file_url, 'reader')).status, 200);
    const deleted = await files.request('DELETE', `/api/resource/Note/${note}-renamed`, { as: 'writer' });
    assert.equal(deleted.status, 202, deleted.text);
    assert.equal((await get(doc.file_url, `token ${files.adminKey}`)).status, 403);
    assert.equal((await get(file(doc.name), `token ${files.adminKey}`)).status, 404);
  });

  test('folders: made by path, kept while not empty, Home for ever', async () => {
    const make = (fields: Record<string, unknown>) =>
      files.request('POST', '/api/resource/File', { body: { is_folder: 1, ...fields } });
    const { body } = await make({ file_name: 'Plans' });
    assert.equal(body.data.name, 'Home/Plans');
    const inner = await make({ file_name: '2026', folder: 'Home/Plans' });
    assert.equal(inner.body.data.name, 'Home/Plans/2026');
    assertEnvelope(await make({ file_name: 'Plans' }), 'DuplicateEntryError');
    assertEnvelope(await make({ file_name: 'a/b' }), 'ValidationError');
    assertEnvelope(await make({ file_name: 'x', folder: 'Nowhere' }), 'LinkValidationError');
    assertEnvelope(await make({}), 'MandatoryError');
    const doc = await stored('plan.txt', 'x', { folder: 'Home/Plans/2026' });
    const remove = (name: string) => files.request('DELETE', file(name));
    assertEnvelope(await remove('Home/Plans'), 'FolderNotEmpty');
    assertEnvelope(await remove('Home/Plans/2026'), 'FolderNotEmpty');
    for (const name of [doc.name, 'Home/Plans/2026', 'Home/Plans'])
      assert.equal((await remove(name)).status, 202);
    for (const name of ['Home', 'Home/Attachments']) assertEnvelope(await remove(name), 'ValidationError');
  });
});
