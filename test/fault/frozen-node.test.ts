/** A server that is frozen while it holds the counter of a series stops no other server. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { siteDatabase } from '../support/site-database.ts';
import { until } from '../support/until.ts';

const KEY = 'frozen-key:frozen-secret-0123456789';
const DOCTYPE = {
  doctype: 'DocType',
  name: 'Counted',
  module: 'Test',
  autoname: 'C-.#####',
  fields: [{ fieldname: 'title', fieldtype: 'Data', label: 'Title' }],
};
// Its first creation stays in the hook until it was frozen, so that the test meets it there.
const APP = `import { access, writeFile } from 'node:fs/promises';
import { defineApp } from 'chancery';
const go = process.env.CHANCERY_TEST_GO;
let isFirst = true;
export default defineApp({
  name: 'frozen',
  doctypes: new URL('./doctypes/', import.meta.url),
  controllers: {
    Counted: {
      async afterInsert() {
        if (go) await writeFile(go + '.awaited', '');
        while (go && isFirst && !(await access(go).then(() => true, () => false))) {
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        isFirst = false;
      },
    },
  },
});
`;

const folder = mkdtempSync(join(tmpdir(), 'chancery-frozen-'));
const go = join(folder, 'go');
mkdirSync(join(folder, 'app', 'doctypes'), { recursive: true });
writeFileSync(join(folder, 'app', 'doctypes', 'counted.json'), JSON.stringify(DOCTYPE));
writeFileSync(join(folder, 'app', 'app.ts'), APP);
const database = await siteDatabase('postgres', folder);

async function start(node: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const places = ['--data', join(folder, node), '--files', join(folder, 'files')];
  const argv = [...places, '--database', database.url ?? '', '--apps', join(folder, 'app')];
  const secret = Buffer.alloc(32, 7).toString('base64');
  return startServerProcess(argv, {
    env: { CHANCERY_ADMIN_API_KEY: KEY, CHANCERY_SECRET_KEY: secret, ...env },
  });
}

async function create(server: ServerProcess): Promise<string> {
  const reply = await fetch(`${server.url}/api/resource/Counted`, {
    method: 'POST',
    headers: { authorization: `token ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'a title' }),
  });
  const body = (await reply.json()) as { data?: { name: string } };
  assert.equal(reply.status, 200, JSON.stringify(body));
  return body.data?.name ?? '';
}

const servers: ServerProcess[] = [];
after(async () => {
  for (const server of servers) await server.end('SIGKILL');
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('others go on with the series, and the frozen server runs its creation again', async () => {
  const frozen = await start('frozen', { CHANCERY_TEST_GO: go });
  servers.push(frozen);
  const other = await start('other');
  servers.push(other);
  const late = create(frozen);
  await until(() => existsSync(`${go}.awaited`));
  frozen.child.kill('SIGSTOP');
  try {
    assert.equal(await create(other), 'C-00001');
  } finally {
    writeFileSync(go, '');
    frozen.child.kill('SIGCONT');
  }
  assert.equal(await late, 'C-00002');
});
