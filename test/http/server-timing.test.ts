/** The stages of a request: in `Server-Timing` for System Managers who ask, and in the log of slow requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { defineMethod } from '../../src/document/verbs/method.ts';
import { defineApp } from '../../src/site/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { until } from '../support/until.ts';

const ASKED = { 'x-chancery-timing': '1' };
const SITE = {
  apps: [notes],
  users: { manager: ['System Manager', 'Note Writer'], writer: ['Note Writer'] },
};

describeEither('Server-Timing', SITE, (site) => {
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

const sleepy = defineApp({
  name: 'sleepy',
  methods: {
    'sleepy.wait': defineMethod({
      http: ['GET'],
      // A timer may end a millisecond early.
      run: () => pause(SLOW + 5),
    }),
  },
});
const SLOW = 50;

describeEither('The log of slow requests', { apps: [sleepy], config: { logSlowRequests: SLOW } }, (site) => {
  test('has the id, the user and the stages', async () => {
    const { status: replied, headers } = await site.request('GET', '/api/method/sleepy.wait');
    assert.equal(replied, 200);
    const id = headers.get('x-request-id');
    const found = await until(
      () => site.observed.find((one) => one.kind === 'request_slow' && one.id === id),
      Boolean,
      'a slow request',
    );
    assert.ok(found?.kind === 'request_slow');
    const { millis, stages, method, status, user } = found;
    assert.deepEqual({ method, status, user }, { method: 'GET', status: 200, user: 'Administrator' });
    assert.deepEqual(Object.keys(stages), ['admit', 'parse', 'authorise', 'run', 'present', 'send']);
    assert.ok((stages['run'] ?? 0) >= SLOW && millis >= SLOW, JSON.stringify(found));
    assert.equal(headers.get('server-timing'), null);
  });
});
