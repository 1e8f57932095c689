/** `chancery types`: from apps' files, and from a site. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { spawnChancery, startServerProcess } from '../support/server-process.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-types-'));
after(() => rmSync(root, { recursive: true, force: true }));
const committed = fileURLToPath(new URL('../../apps/crm/doctypes.d.ts', import.meta.url));

test('apps/crm/doctypes.d.ts is what `chancery types --apps crm` writes', async () => {
  const checked = await spawnChancery(['types', '--apps', 'crm', '--out', committed, '--check']).finished;
  assert.equal(checked.code, 0, `Run: chancery types --apps crm --out apps/crm/doctypes.d.ts`);
});

test('--check finds a stale file, and a run replaces it', async () => {
  const out = join(root, 'apps.d.ts');
  writeFileSync(out, '// something else\n');
  const types = (...flags: string[]) =>
    spawnChancery(['types', '--apps', 'crm', '--out', out, ...flags]).finished;
  const stale = await types('--check');
  assert.equal(stale.code, 1);
  assert.match(stale.stdout, /is stale/);
  assert.equal(readFileSync(out, 'utf8'), '// something else\n');
  assert.equal((await types()).code, 0);
  assert.equal(readFileSync(out, 'utf8'), readFileSync(committed, 'utf8'));
  assert.equal((await types('--check')).code, 0);
});

test('types include the doctypes of a running site', async () => {
  const data = join(root, 'data');
  const out = join(root, 'site.d.ts');
  const env = { CHANCERY_ADMIN_API_KEY: 'key:secret', CHANCERY_APPS: 'crm' };
  const server = await startServerProcess(['--data', data], { env });
  const made = await fetch(`${server.url}/api/resource/DocType`, {
    method: 'POST',
    headers: { authorization: 'token key:secret', 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Book',
      module: 'Library',
      fields: [{ fieldname: 'pages', fieldtype: 'Int' }],
      permissions: [{ role: 'System Manager', read: 1 }],
    }),
  });
  assert.equal(made.status, 200);
  const done = await spawnChancery(['types', '--data', data, '--out', out], { env }).finished;
  assert.equal(done.code, 0, done.stderr);
  const text = readFileSync(out, 'utf8');
  for (const name of ['Book', 'Ticket', 'User', 'DocType'])
    assert.match(text, new RegExp(`^export interface ${name} `, 'm'));
  assert.match(text, /doctype: 'Book';\n {2}pages: number;/);
  await server.end('SIGTERM');
});

test('wrong calls give one sentence', async () => {
  for (const [argv, code, said] of [
    [['types', '--data', join(root, 'nowhere')], 1, 'There is no site in'],
    [['types', '--apps', 'nowhere'], 1, 'There is no app nowhere'],
    [['types', '--apps', ','], 2, 'names no app'],
    [['types', 'crm'], 2, 'types does not take "crm"'],
  ] as const) {
    const done = await spawnChancery(argv).finished;
    assert.equal(done.code, code, done.stderr);
    assert.ok(done.stderr.includes(said), done.stderr);
  }
});
