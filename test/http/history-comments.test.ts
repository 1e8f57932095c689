/** Comments: people's and the system's, and who may read, write and delete them. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { historySite } from '../support/history-site.ts';

describeEither('comments', historySite(), (site) => {
  let dealer: string;
  let viewer: string;
  let owner: string;
  let outsider: string;
  before(async () => {
    dealer = await site.createUser('dealer@example.com', ['Dealer']);
    viewer = await site.createUser('viewer@example.com', ['Viewer']);
    owner = await site.createUser('owner@example.com', ['Owner Only']);
    outsider = await site.createUser('outsider@example.com', []);
    await site.did('POST', 'Deal', { name: 'C1' }, dealer);
  });

  const about = (name: string, more: object = {}) => ({
    reference_doctype: 'Deal',
    reference_name: name,
    content: 'Hello',
    ...more,
  });

  test('whoever may read a document comments on it, in their own name', async () => {
    const comment = await site.did(
      'POST',
      'Comment',
      about('C1', { comment_email: 'boss@example.com', comment_by: 'The Boss' }),
      viewer,
    );
    assert.equal(comment.comment_type, 'Comment');
    assert.equal(comment.comment_email, 'viewer@example.com');
    assert.equal(comment.comment_by, 'viewer');
    assert.equal(comment.owner, 'viewer@example.com');
    assert.equal((await site.did('GET', `Comment/${comment.name}`, undefined, dealer)).content, 'Hello');
  });

  test('a System Manager may bring in what others wrote elsewhere', async () => {
    const comment = await site.did('POST', 'Comment', about('C1', { comment_email: 'old@example.com' }));
    assert.equal(comment.comment_email, 'old@example.com');
  });

  test('without the right to the document: 403 for existing and missing ones alike', async () => {
    for (const name of ['C1', 'missing']) {
      const refused = await site.ask('POST', 'Comment', about(name), outsider);
      assert.equal(refused.status, 403, refused.text);
      assert.equal(refused.body.exc_type, 'PermissionError');
    }
    assert.equal((await site.ask('POST', 'Comment', about('C1'), owner)).status, 403);
    assert.equal((await site.ask('POST', 'Comment', about('missing'), viewer)).status, 404);
    assert.equal(
      (await site.ask('POST', 'Comment', { content: 'x' }, viewer)).body.exc_type,
      'MandatoryError',
    );
    const row = await site.ask('POST', 'Comment', { ...about('C1'), reference_doctype: 'Deal Line' });
    assert.equal(row.status, 417, row.text);
    const itself = await site.ask('POST', 'Comment', { ...about('C1'), reference_doctype: 'Version' });
    assert.equal(itself.status, 417, itself.text);
  });

  test('a comment is changed and deleted by its owner and by System Managers, and stays where it is', async () => {
    const { name } = await site.did('POST', 'Comment', about('C1'), viewer);
    assert.equal((await site.ask('PUT', `Comment/${name}`, { content: 'x' }, dealer)).status, 403);
    assert.equal((await site.ask('DELETE', `Comment/${name}`, undefined, dealer)).status, 403);
    const changed = await site.did(
      'PUT',
      `Comment/${name}`,
      { content: 'Bye', comment_email: 'other@example.com' },
      viewer,
    );
    assert.equal(changed.content, 'Bye');
    assert.equal(changed.comment_email, 'viewer@example.com');
    const moved = await site.ask('PUT', `Comment/${name}`, { reference_name: 'C2' }, viewer);
    assert.equal(moved.body.exc_type, 'CannotChangeConstantError');
    await site.did('PUT', `Comment/${name}`, { content: 'Moderated' });
    await site.did('DELETE', `Comment/${name}`, undefined, viewer);
  });

  test('list and read agree for every user', async () => {
    await site.did('POST', 'Deal', { name: 'C3' }, owner);
    await site.did('POST', 'Comment', about('C3'), owner);
    const names = (await site.rows('Comment', [], ['name'])).map((row) => row.name);
    for (const as of [owner, dealer, viewer, outsider]) {
      const listed = new Set((await site.rows('Comment', [], ['name'], as)).map((row) => row.name));
      for (const name of names) {
        const { status } = await site.ask('GET', `Comment/${name}`, undefined, as);
        assert.equal(status, listed.has(name) ? 200 : 403);
      }
    }
    assert.deepEqual(await site.comments('C3', owner), ['Comment: Hello']);
    assert.deepEqual(await site.comments('C1', owner), []);
  });

  test('a document that a controller hides takes its comments along', async () => {
    const manager = await site.createUser('manager@example.com', ['System Manager']);
    const about = (reference_name: string) => ({ reference_doctype: 'User', reference_name, content: 'x' });
    const hidden = await site.did('POST', 'Comment', about('Administrator'));
    const shown = await site.did('POST', 'Comment', about('manager@example.com'));
    const listed = await site.rows('Comment', { reference_doctype: 'User' }, ['name'], manager);
    assert.deepEqual(listed, [{ name: shown.name }]);
    assert.equal((await site.ask('GET', `Comment/${hidden.name}`, undefined, manager)).status, 403);
    assert.equal((await site.ask('PUT', `Comment/${hidden.name}`, { content: 'y' }, manager)).status, 403);
    assert.equal((await site.ask('POST', 'Comment', about('Administrator'), manager)).status, 403);
    assert.equal((await site.ask('GET', `Comment/${hidden.name}`)).status, 200);
  });

  test('what runs in a browser does not stay in the content', async () => {
    const comment = await site.did(
      'POST',
      'Comment',
      about('C1', { content: '<p onclick="x()">Hi <script>alert(1)</script><b>there</b></p>' }),
      viewer,
    );
    assert.doesNotMatch(comment.content, /<script|onclick/);
    assert.match(comment.content, /<b>there<\/b>/);
  });

  test('attaching, detaching and renaming are commented on, in the name of who did it', async () => {
    await site.did('POST', 'Deal', { name: 'C4' });
    const form = new FormData();
    form.append('file', new Blob(['text']), 'a & b.txt');
    form.append('doctype', 'Deal');
    form.append('docname', 'C4');
    const uploaded = await site.call('upload_file', form, dealer);
    const { name, file_url } = uploaded as { name: string; file_url: string };
    await site.did('DELETE', `File/${name}`, undefined, dealer);
    await site.call('frappe.client.rename_doc', { doctype: 'Deal', old_name: 'C4', new_name: 'C5' }, dealer);
    const comments = await site.comments('C5', viewer);
    assert.equal(comments.length, 3);
    assert.match(comments[0] ?? '', /^Attachment: <a href=".+?">a &amp; b\.txt<\/a>$/);
    assert.ok(comments[0]?.includes(file_url.replaceAll('&', '&amp;')), comments[0] ?? '');
    assert.equal(comments[1], 'Attachment Removed: a &amp; b.txt');
    assert.equal(comments[2], 'Edit: renamed from <strong>C4</strong> to <strong>C5</strong>');
    const [first] = await site.rows('Comment', { reference_name: 'C5' }, ['owner', 'comment_email']);
    assert.deepEqual(first, { owner: 'dealer@example.com', comment_email: 'dealer@example.com' });
  });

  test('comments go with their document, whatever else is said while it goes', async () => {
    await site.did('POST', 'Deal', { name: 'C6' });
    await site.did('POST', 'Comment', about('C6'));
    await site.did('POST', 'File', {
      file_name: 'x.txt',
      content: 'x',
      attached_to_doctype: 'Deal',
      attached_to_name: 'C6',
    });
    assert.equal((await site.comments('C6')).length, 2);
    await site.did('DELETE', 'Deal/C6');
    const left = await site.rows('Comment', { reference_name: 'C6' }, ['name']);
    assert.deepEqual(left, []);
    await site.did('POST', 'Deal', { name: 'C6' });
    assert.deepEqual(await site.comments('C6'), []);
  });

  test('a merge moves the comments to what is left', async () => {
    await site.did('POST', 'Deal', { name: 'C7' });
    await site.did('POST', 'Deal', { name: 'C8' });
    await site.did('POST', 'Comment', about('C7'));
    await site.call('frappe.client.rename_doc', {
      doctype: 'Deal',
      old_name: 'C7',
      new_name: 'C8',
      merge: true,
    });
    assert.deepEqual(await site.comments('C8'), [
      'Comment: Hello',
      'Edit: merged <strong>C7</strong> into <strong>C8</strong>',
    ]);
  });

  test('lists show the latest comments of people in _comments, to readers only', async () => {
    for (const name of ['L1', 'L2']) await site.did('POST', 'Deal', { name }, dealer);
    const list = (fields: readonly string[], as: string, more = '') =>
      site.request('GET', `/api/resource/Deal?fields=${JSON.stringify(fields)}&order_by=name${more}`, { as });
    const filters = '&filters=[["name","in",["L1","L2"]]]';
    const none = { name: 'L2', _comments: null };
    const before = await list(['name', '_comments'], viewer, filters);
    assert.deepEqual(before.body.data, [{ name: 'L1', _comments: null }, none]);
    const made: { name: string }[] = [];
    for (const content of ['first', 'x'.repeat(100), 'é'.repeat(101)])
      made.push(await site.did('POST', 'Comment', about('L1', { content }), viewer));
    const by = 'viewer@example.com';
    const comments = [
      { comment: 'first', by, name: made[0]?.name },
      { comment: 'x'.repeat(100), by, name: made[1]?.name },
      { comment: `${'é'.repeat(97)}...`, by, name: made[2]?.name },
    ];
    const shown = (await list(['name', '`_comments`'], dealer, filters)).body.data;
    assert.deepEqual(JSON.parse(shown[0]._comments), comments);
    assert.deepEqual(shown[1], none);
    // Likes and other comments of the system are not among them.
    await site.did('PUT', 'Deal/L1', { title: 'changed' }, dealer);
    const like = { doctype: 'Deal', name: 'L1', add: 'Yes' };
    await site.call('frappe.desk.like.toggle_like', like, dealer);
    await site.did('DELETE', `Comment/${made[0]?.name}`);
    const arrays = await list(['_comments as c', 'name'], dealer, `${filters}&as_dict=0`);
    assert.deepEqual(JSON.parse(arrays.body.data[0][0]), comments.slice(1));
    // `*` omits them, and nobody learns of comments on documents out of reach.
    assert.ok(!('_comments' in (await list(['*'], dealer, filters)).body.data[0]));
    assert.deepEqual((await list(['name', '_comments'], owner, filters)).body.data, []);
    assert.equal((await list(['_comments'], outsider)).status, 403);
    for (const more of ['&group_by=_comments', '&distinct=1', '&filters=[["_comments","is","set"]]'])
      assert.equal((await list(['_comments'], dealer, more)).status, 417, more);
    const child = '/api/resource/Deal Line?parent=Deal&fields=["_comments"]';
    assert.equal((await site.request('GET', child, { as: dealer })).status, 417);
  });

  test('only the last hundred comments of a document are in a list', async () => {
    await site.did('POST', 'Deal', { name: 'L3' }, dealer);
    const docs = Array.from({ length: 105 }, (_, index) => ({
      doctype: 'Comment',
      ...about('L3', { content: `c${index}` }),
    }));
    await site.call('frappe.client.insert_many', { docs }, viewer);
    const path = '/api/resource/Deal?fields=["_comments"]&filters={"name":"L3"}';
    const [row] = await site.ok('GET', path, { as: dealer });
    const texts: string[] = JSON.parse(row._comments).map(({ comment }: { comment: string }) => comment);
    assert.equal(texts.length, 100);
  });
});
