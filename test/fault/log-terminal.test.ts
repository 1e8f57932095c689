/** The log at a terminal is for a person to read, and JSON everywhere else; a setting says otherwise. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeApp } from '../support/app-folder.ts';
import { ROOT, temporaryFolder, userEnvironment } from '../support/package.ts';
import { startServerProcess } from '../support/server-process.ts';

const root = temporaryFolder('log-terminal');
const KEY = 'log-key:log-secret-0123456789';
const hasScript = spawnSync('script', ['--version']).status === 0;

/** An app whose hook throws whatever is saved. */
function throwingApp(): string {
  const definition = {
    doctype: 'DocType',
    name: 'Fragile',
    fields: [{ fieldname: 'title', fieldtype: 'Data' }],
    permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1 }],
  };
  const app = writeApp(join(root, 'app'), 'fragile', [definition]);
  const module = `import { defineApp } from 'chancery';
function breakHere() { throw new TypeError('the hook broke'); }
export default defineApp({
  name: 'fragile',
  doctypes: new URL('./doctypes/', import.meta.url),
  controllers: { Fragile: { validate: breakHere } },
});
`;
  writeFileSync(join(app, 'app.ts'), module);
  return app;
}

async function createFragile(url: string): Promise<void> {
  const reply = await fetch(`${url}/api/resource/Fragile`, {
    method: 'POST',
    headers: { authorization: `token ${KEY}`, 'content-type': 'application/json' },
    body: '{"title": "x"}',
  });
  assert.equal(reply.status, 500, await reply.text());
}

/** What a terminal shows of a server in which a hook throws. */
async function atTerminal(name: string, env: Record<string, string> = {}): Promise<string> {
  const serve = `"${process.execPath}" --conditions=source bin/chancery.mjs serve --port 0 --apps "${throwingApp()}"`;
  const terminal = spawn('script', ['-qfec', `${serve} --data "${join(root, name)}"`, '/dev/null'], {
    cwd: ROOT,
    env: { ...userEnvironment(), CHANCERY_SHUTDOWN_GRACE: '0', CHANCERY_ADMIN_API_KEY: KEY, ...env },
  });
  let shown = '';
  let tried: Promise<void> | null = null;
  for await (const chunk of terminal.stdout) {
    shown += chunk;
    const [, url] = /is listening on (http:\S+)/.exec(shown) ?? [];
    // Ctrl+C ends it, and its output with it.
    if (url) tried ??= createFragile(url).finally(() => terminal.stdin.write('\u0003'));
  }
  await tried;
  return shown.replaceAll('\r\n', '\n');
}

test('at a terminal the log is text, with the stack of a hook that throws', {
  skip: !hasScript,
}, async () => {
  const shown = await atTerminal('text', { NO_COLOR: '1', TERM: 'xterm' });
  assert.match(shown, /^\d\d:\d\d:\d\d INFO {2}started url=http/m);
  assert.match(
    shown,
    /^\d\d:\d\d:\d\d ERROR unexpected .*requestId=\S+.*\n {2}TypeError: the hook broke\n {6}at .*breakHere.*app\.ts:2/m,
  );
  assert.doesNotMatch(shown, /^\{"level"/m);
});

test('the setting json makes the log JSON at a terminal', { skip: !hasScript }, async () => {
  const shown = await atTerminal('json', { CHANCERY_LOG_FORMAT: 'json' });
  assert.match(shown, /^\{"level":50,.*the hook broke/m);
  assert.doesNotMatch(shown, /INFO|ERROR/);
});

for (const [format, said] of [
  ['auto', /^\{"level":50,.*the hook broke/m],
  ['text', /^\d\d:\d\d:\d\d ERROR unexpected .*\n {2}TypeError: the hook broke$/m],
] as const) {
  test(`without a terminal the log has the format ${format}`, async () => {
    const argv = ['--data', join(root, `piped-${format}`), '--apps', throwingApp()];
    const env = { CHANCERY_LOG_FORMAT: format, CHANCERY_ADMIN_API_KEY: KEY };
    const server = await startServerProcess(argv, { env });
    await createFragile(server.url);
    const { stderr } = await server.end('SIGTERM');
    assert.match(stderr, said);
    assert.doesNotMatch(stderr.replaceAll('\n', ''), /\p{Cc}/u);
  });
}
