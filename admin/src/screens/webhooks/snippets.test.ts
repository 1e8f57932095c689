import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { SNIPPETS, snippetOf } from './snippets.ts';

const KEY = Buffer.from('a key of some thirty-two bytes!!');
const SECRET = `whsec_${KEY.toString('base64')}`;
const BODY = '{"name": "Caf\u00e9"}';

function headersAt(seconds: number) {
  const timestamp = String(Math.floor(seconds));
  const mac = createHmac('sha256', KEY).update(`dlv_1.${timestamp}.${BODY}`).digest('base64');
  return { 'webhook-id': 'dlv_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,AAAA v1,${mac}` };
}

const now = headersAt(Date.now() / 1_000);
const CASES = [
  { secret: SECRET, headers: now, body: BODY, isOurs: true },
  { secret: SECRET, headers: now, body: `${BODY} `, isOurs: false },
  { secret: 'whsec_AAAA', headers: now, body: BODY, isOurs: false },
  { secret: SECRET, headers: headersAt(Date.now() / 1_000 - 600), body: BODY, isOurs: false },
];

test('the Node snippet accepts only our deliveries', async () => {
  const { isOurs } = await import(`data:text/javascript,${encodeURIComponent(snippetOf('node'))}`);
  for (const one of CASES) assert.equal(isOurs(one.secret, one.headers, Buffer.from(one.body)), one.isOurs);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

test('the Python snippet accepts only our deliveries', { skip: hasPython ? false : 'no python3' }, () => {
  const program = `${snippetOf('python')}
import json, sys
print(json.dumps([is_ours(c["secret"], c["headers"], c["body"].encode()) for c in json.load(sys.stdin)]))`;
  const answers = JSON.parse(
    execFileSync('python3', ['-c', program], { input: JSON.stringify(CASES) }).toString(),
  );
  assert.deepEqual(
    answers,
    CASES.map(({ isOurs }) => isOurs),
  );
});

test('every language has a snippet', () => {
  for (const name of Object.keys(SNIPPETS))
    assert.match(snippetOf(name as keyof typeof SNIPPETS), /webhook-signature/);
});
