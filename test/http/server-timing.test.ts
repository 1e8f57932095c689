/** `Server-Timing`: where the time of a request went, for System Managers who ask. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSite } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';

const ASKED = { 'x-chancery-timing': '1' };
const SITE = {
  apps: [notes],
  users: { manager: ['System Manager', 'Note Writer'], writer: ['Note Writer'] },
};

describeSite('Server-Timing', SITE, (site) => {
  const stages = async (method: string, path: string, options: object) => {
    const { status, text, headers } = await site.request(method, path, options);
    assert.equal(status, 200, text);
    const timing = headers.get('server-timing');
    return timing?.split(', ').map((stage) => /^(\w+);dur=\d+\.\d$/.exec(stage)?.[1] ?? stage);
  };

  test('names the stages of a read and of a unit of work', async () => {
    const reading = ['admit', 'parse', 'authorise', 'run', 'present'];
    for (const path of [
      '/api/resource/Note',
      '/api/v2/document/Note',
      '/api/method/frappe.client.get_count?doctype=Note',
    ])
      assert.deepEqual(await stages('GET', path, { as: 'manager', headers: ASKED }), reading, path);
    const writing = ['admit', 'parse', 'authorise', 'begin', 'run', 'present', 'commit'];
    const body = { name: 'timed', title: 'T' };
    assert.deepEqual(await stages('POST', '/api/resource/Note', { body, headers: ASKED }), writing);
  });

  test('is for System Managers, and only when they ask', async () => {
    assert.equal(await stages('GET', '/api/resource/Note', { as: 'manager' }), undefined);
    assert.equal(await stages('GET', '/api/resource/Note', { as: 'writer', headers: ASKED }), undefined);
    assert.equal(await stages('GET', '/api/method/ping', { as: null, headers: ASKED }), undefined);
  });
});
