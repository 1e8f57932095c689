import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { registerPositions, signed } from './position.ts';

const SECRET = Buffer.alloc(32, 1);
const PLACE = { timeline: 1, lsn: 7n };

const cases: readonly [what: string, status: number, isCommitted: boolean, told: string | undefined][] = [
  ['a change', 200, true, signed(PLACE, SECRET)],
  ['a repeated reply', 200, false, signed(PLACE, SECRET)],
  ['a refusal', 417, false, undefined],
  ['an error after a commit', 417, true, signed(PLACE, SECRET)],
  ['a failure before any commit', 503, false, undefined],
  ['a commit that nobody answered', 503, true, ''],
];

for (const [what, status, isCommitted, told] of cases) {
  test(`the position in the reply to ${what}`, async () => {
    const app = fastify();
    const replicas = {
      asked: 3,
      positionAfter: () => Promise.resolve(PLACE),
      at: () => null,
      reads: { replica: 0, primary: 0 },
      figures: () => Promise.resolve([]),
    };
    registerPositions(app, { database: { replicas }, secretKey: SECRET });
    app.post('/', (_request, reply) => {
      if (isCommitted) replicas.asked += 1;
      return reply.code(status).send();
    });
    const { headers } = await app.inject({ method: 'POST', url: '/' });
    assert.equal(headers['x-chancery-position'], told);
    const cookie =
      told === undefined ? undefined : told === '' ? /=; .*Max-Age=0;/ : /=1-7-.*Max-Age=2592000;/;
    if (cookie) assert.match(String(headers['set-cookie']), cookie);
    else assert.equal(headers['set-cookie'], undefined);
    await app.close();
  });
}
