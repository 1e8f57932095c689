import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fastify } from 'fastify';
import { ServiceError } from '../../kernel/errors.ts';
import { errorBody, errorBodyV2, registerErrorReplies } from './error-reply.ts';

test('the envelope has the keys that clients read, with messages encoded twice', () => {
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

test('a problem of a field names it, in both versions', () => {
  const error = new ServiceError('ValidationError', 'Due must be a date', {
    messages: ['Due must be a date', 'Row #2: Quantity must be positive', 'The shop is closed'],
    places: [{ fieldname: 'due' }, { fieldname: 'qty', table: 'items', row: 2 }, null],
  });
  const first = JSON.parse(JSON.parse(errorBody(error))._server_messages).map((text: string) =>
    JSON.parse(text),
  );
  const second = JSON.parse(errorBodyV2(error)).errors;
  for (const messages of [first, second]) {
    assert.deepEqual(
      messages.map(({ fieldname, table, row }: Record<string, unknown>) => [fieldname, table, row]),
      [
        ['due', undefined, undefined],
        ['qty', 'items', 2],
        [undefined, undefined, undefined],
      ],
    );
    assert.equal(Object.hasOwn(messages[2], 'fieldname'), false);
  }
});

test('an unexpected error reveals nothing', () => {
  const body = JSON.parse(errorBody(null));
  assert.equal(body.exc_type, 'InternalServerError');
  assert.equal(JSON.parse(JSON.parse(body._server_messages)[0]).message, body.exception.split(': ')[1]);
});

test('a client that hangs up before a streamed reply begins is not an error', async () => {
  const observed: string[] = [];
  const app = fastify();
  registerErrorReplies(app, ({ kind }) => observed.push(kind));
  const body = new PassThrough();
  app.post('/', async (request, reply) => {
    client.destroy();
    await once(request.raw.socket, 'close');
    return reply.send(body);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}');
  await once(body, 'close');
  await app.close();
  await setImmediate();
  assert.deepEqual(observed, []);
});
