import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../kernel/errors.ts';
import { errorBody } from './error-reply.ts';

test('the envelope holds what clients read, messages encoded twice', () => {
  const error = new ServiceError('MandatoryError', 'Value missing: Subject, Status', {
    messages: ['Subject is required', 'Status is required'],
    title: 'Missing Fields',
  });
  const body = JSON.parse(errorBody(error));
  assert.deepEqual(Object.keys(body), ['exception', 'exc_type', 'exc', '_server_messages']);
  assert.equal(body.exception, 'frappe.exceptions.MandatoryError: Value missing: Subject, Status');
  assert.equal(body.exc_type, 'MandatoryError');
  assert.deepEqual(JSON.parse(body.exc), [body.exception]);
  assert.deepEqual(
    JSON.parse(body._server_messages).map((text: string) => JSON.parse(text)),
    ['Subject is required', 'Status is required'].map((message) => ({
      message,
      title: 'Missing Fields',
      indicator: 'red',
      raise_exception: 1,
    })),
  );
});

test('an unforeseen failure says nothing about itself', () => {
  const body = JSON.parse(errorBody(null));
  assert.equal(body.exc_type, 'InternalServerError');
  assert.equal(JSON.parse(JSON.parse(body._server_messages)[0]).message, body.exception.split(': ')[1]);
});
