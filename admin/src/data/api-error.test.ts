import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connectionError, errorOf, isApiError } from './api-error.ts';

const none = () => null;
const messages = (...list: object[]) => JSON.stringify(list.map((one) => JSON.stringify(one)));

describe('refusals of the server', () => {
  test('have one message for each problem, with its field if named', () => {
    const body = {
      exc_type: 'MandatoryError',
      exception: 'frappe.exceptions.MandatoryError: [Ticket, new]: subject',
      _server_messages: messages(
        { message: 'Subject is missing', fieldname: 'subject' },
        { message: 'B', table: 'items', row: 2 },
      ),
    };
    const error = errorOf(
      417,
      JSON.stringify(body),
      (name) => ({ 'x-request-id': 'r1', 'retry-after': '7' })[name] ?? null,
    );
    assert.equal(error.type, 'MandatoryError');
    assert.deepEqual(error.messages, ['Subject is missing', 'B']);
    assert.deepEqual(error.problems, [
      { message: 'Subject is missing', fieldname: 'subject' },
      { message: 'B', table: 'items', row: 2 },
    ]);
    assert.equal(error.exception, '[Ticket, new]: subject');
    assert.equal(error.requestId, 'r1');
    assert.equal(error.retryAfter, 7);
  });

  test('are read in the second version’s envelope, too', () => {
    const error = errorOf(
      404,
      JSON.stringify({ errors: [{ type: 'DoesNotExistError', message: 'Gone' }] }),
      none,
    );
    assert.equal(error.type, 'DoesNotExistError');
    assert.deepEqual(error.messages, ['Gone']);
    assert.equal(isApiError(error, 'DoesNotExistError'), true);
    assert.equal(isApiError(error, 'PermissionError'), false);
  });

  test('keep their status when the body is not JSON', () => {
    const error = errorOf(502, '<html>Bad gateway', none);
    assert.deepEqual([error.type, error.messages, error.retryAfter], ['HTTP 502', ['HTTP 502'], null]);
  });

  test('differ from requests without a reply', () => {
    assert.deepEqual(
      [connectionError(new Error('x')).status, connectionError(null).type],
      [0, 'ConnectionError'],
    );
  });
});
