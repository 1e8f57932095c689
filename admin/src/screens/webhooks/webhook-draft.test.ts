import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, draftOf, fieldsOf, makeDraft, placeOf } from './webhook-draft.ts';

const STORED = {
  name: 'crm',
  webhook_doctype: 'Ticket',
  webhook_docevent: 'on_update',
  enabled: 1,
  condition: 'doc.status == "Open"',
  only_if_changed: 'status, priority\nowner',
  request_url: 'https://example.com/hook',
  request_method: 'PUT',
  timeout: 15,
  max_retries: -1,
  held_deliveries: 'Send',
  tls_key: '**********',
  webhook_headers: [{ name: 'row', key: 'Authorization', value: '**********' }],
  webhook_data: [{ name: 'row', fieldname: 'subject', key: 'title' }],
};

test('an unchanged stored webhook has nothing to save', () => {
  const stored = draftOf(STORED);
  assert.deepEqual(changesOf(makeDraft(STORED).get(), stored), {});
  assert.deepEqual(stored.watched, ['status', 'priority', 'owner']);
  assert.equal(stored.payload, 'fields');
});

test('only changed fields are saved, and tables as a whole', () => {
  const stored = draftOf(STORED);
  const headers = [
    ...stored.headers,
    { id: 9, key: ' X-Kind ', value: 'a' },
    { id: 10, key: '', value: ' ' },
  ];
  assert.deepEqual(changesOf({ ...stored, headers, enabled: false }, stored), {
    enabled: 0,
    webhook_headers: [
      { key: 'Authorization', value: '**********' },
      { key: 'X-Kind', value: 'a' },
    ],
  });
});

test('fields of other body kinds are not sent', () => {
  const stored = draftOf(STORED);
  const template = {
    ...stored,
    payload: 'template',
    webhook_json: '{}',
    include_previous: true,
    isForm: true,
  } as const;
  assert.deepEqual(changesOf(template, stored), { webhook_data: [], webhook_json: '{}' });
  const whole = { ...stored, payload: 'document', webhook_json: 'left over' } as const;
  assert.deepEqual(changesOf(whole, stored), { webhook_data: [] });
});

test('a new webhook is sent complete, with a name only if set', () => {
  const draft = makeDraft(null, { webhook_doctype: 'Ticket' }).get();
  const fields = changesOf(draft, null);
  assert.ok(!('name' in fields) && !('secret' in fields));
  assert.deepEqual(fields, fieldsOf(draft));
  assert.equal(changesOf({ ...draft, name: ' crm ', secret: 'own' }, null)['name'], 'crm');
});

test('each problem from the server is shown at its field', () => {
  for (const [problem, place] of [
    ['Invalid Condition: there is no field x', 'condition'],
    ['Check Request URL: it is too long', 'request_url'],
    ['Request URL is required', 'request_url'],
    ['DocType is required', 'webhook_doctype'],
    ['Doc Event is required', 'webhook_docevent'],
    ['DocType must be Submittable for the selected Doc Event', 'webhook_docevent'],
    ['Webhook Header Row #1: Host is set by the server', 'headers'],
    ['Same Key is entered more than once: a', 'fields'],
    ['Invalid JSON Body: line 2', 'webhook_json'],
    ['Something new', null],
  ] as const)
    assert.equal(placeOf(problem), place, problem);
});
