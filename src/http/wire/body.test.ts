import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { mock, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fastify } from 'fastify';
import { LIMITS } from '../../kernel/limits.ts';
import { registerBodyParsers } from './body.ts';
import { registerErrorReplies } from './error-reply.ts';
import { FormBody } from './parse-body.ts';

function echo() {
  const app = fastify();
  registerErrorReplies(app, (observation) => assert.fail(`observed ${observation.kind}`));
  registerBodyParsers(app);
  app.post('/', (request, reply) =>
    reply.send({
      body: request.body instanceof FormBody ? { form: request.body.fields } : (request.body ?? null),
    }),
  );
  return app;
}

const send = (payload: string | NodeJS.ReadableStream, type: string) =>
  ({ method: 'POST', url: '/', payload, headers: { 'content-type': type } }) as const;

test('JSON, forms and empty bodies are told apart', async () => {
  const app = echo();
  assert.deepEqual((await app.inject(send('{"a":[1]}', 'application/json'))).json(), { body: { a: [1] } });
  assert.deepEqual((await app.inject(send('a=1&b=%C3%A9', 'application/x-www-form-urlencoded'))).json(), {
    body: { form: { a: '1', b: 'é' } },
  });
  assert.deepEqual((await app.inject(send('', 'application/json'))).json(), { body: null });
});

test('a body split inside a character is complete', async () => {
  const bytes = Buffer.from('{"a":"漢字"}');
  const payload = new PassThrough();
  const reply = echo().inject(send(payload, 'application/json'));
  for (const byte of bytes) payload.write(Buffer.from([byte]));
  payload.end();
  assert.deepEqual((await reply).json(), { body: { a: '漢字' } });
});

test('a body that never ends is 408 after the deadline, and the connection closes', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const app = echo();
    // Runs just before the parser does.
    const parsing = new Promise<void>((resolve) => {
      app.addHook('preParsing', (_request, _reply, payload, done) => {
        resolve();
        done(null, payload);
      });
    });
    const payload = new PassThrough();
    const reply = app.inject(send(payload, 'application/json'));
    payload.write('{"a":');
    await parsing;
    await setImmediate();
    mock.timers.tick(LIMITS.requestTimeout);
    const { statusCode, headers } = await reply;
    assert.equal(statusCode, 408);
    assert.equal(headers.connection, 'close');
  } finally {
    mock.timers.reset();
  }
});
