/**
 * Every code block of the pages in docs/ runs: commands and requests at a server, modules through the
 * compiler and in an app.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadConfig } from '../src/config/load-config.ts';
import { parseExpression } from '../src/kernel/expression/expression.ts';
import { loadApp } from '../src/site/schema/apps/load-app.ts';
import { openSite } from '../src/site/start/open-site.ts';
import { parseTemplate } from '../src/webhook/render/template.ts';
import { freePort } from './support/free-port.ts';
import { OAuthParty } from './support/oauth.ts';
import { runProgram, temporaryFolder } from './support/package.ts';
import { type Block, blocksOf, pageReader } from './support/page.ts';
import { type ServerProcess, startServerProcess } from './support/server-process.ts';
import { startTestSite } from './support/site.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCS = join(ROOT, 'docs');
/** These have tests of their own: test/client, test/deploy, test/frappe. */
const FOLLOWED = ['first-app.md', 'client.md', 'deploy.md', 'from-frappe.md'];
/** Output, and configuration of other programs. */
const SHOWN = ['text', 'nginx', 'yaml'];
/** Run by test/client/realtime-guide.test.ts: a stream that never ends, and the program of a page. */
const STREAMS = ['realtime.md'];

const pages = [...readdirSync(join(DOCS, 'guide')).map((name) => join('guide', name)), ...readdirSync(DOCS)]
  .filter((page) => page.endsWith('.md') && !FOLLOWED.includes(basename(page)))
  .map((page) => join(DOCS, page));
const blocks = pages.flatMap(blocksOf);
const ofLanguage = (...languages: readonly string[]) =>
  blocks.filter(({ info }) => languages.includes(info[0] ?? ''));
const root = temporaryFolder('guides');
const place = (block: Block) => block.place.slice(DOCS.length + 1);

/** Each language, and what running a block of it means. */
const LANGUAGES = ['sh', 'http', 'json', 'ts', 'js', 'python', 'env', 'expression', 'template', ...SHOWN];

test('every block says its language', () => {
  assert.ok(blocks.length > 30, String(blocks.length));
  for (const block of blocks)
    assert.ok(LANGUAGES.includes(block.info[0] ?? ''), `${place(block)}: ${block.info}`);
});

describe('commands and requests work at a server', () => {
  let server: ServerProcess;
  const reader = pageReader(root);
  const key = 'key:secret';

  async function request(method: string, path: string, body?: string) {
    const headers = { authorization: `token ${key}`, 'content-type': 'application/json' };
    const reply = await fetch(server.url + path, { method, headers, ...(body ? { body } : {}) });
    const text = await reply.text();
    return { status: reply.status, text, data: () => JSON.parse(text).data ?? JSON.parse(text).message };
  }
  const made = async (doctype: string, fields: object) => {
    const reply = await request('POST', `/api/resource/${doctype}`, JSON.stringify(fields));
    assert.equal(reply.status, 200, reply.text);
    return reply.data();
  };

  // What the pages speak of is there.
  before(async () => {
    const env = { CHANCERY_ADMIN_API_KEY: key, CHANCERY_WEBHOOKS_ALLOW: '127.0.0.0/8' };
    server = await startServerProcess(['--data', join(root, 'data')], { env });
    for (const email of ['ann@example.com', 'jo@example.com']) await made('User', { email, first_name: 'A' });
    await made('Role', { role_name: 'Sales' });
    await made('Ticket', { subject: 'The printer' });
    const file = await made('File', { file_name: 'a.txt', content: 'text', is_private: 1 });
    const request_url = 'http://127.0.0.1:9/';
    const event = { webhook_doctype: 'Ticket', webhook_docevent: 'on_update', request_url };
    const webhook = await made('Webhook', event);
    const given = JSON.stringify({ user: 'ann@example.com', label: 'other' });
    const own = await request('POST', '/api/method/chancery.api_key.create', given);
    assert.equal(own.status, 200, own.text);
    for (const [from, to] of [
      ['http://127.0.0.1:8000', server.url],
      ['<api_key>:<api_secret>', key],
      ['<File>', file.name],
      ['<name>', webhook.name],
      ['<key>', own.data().api_key],
      ['npx chancery', `'${process.execPath}' '${ROOT}bin/chancery.mjs'`],
    ] as const)
      reader.replacements.set(from, to);
  });
  after(async () => {
    await reader.leave();
    await server?.end('SIGTERM');
  });

  for (const block of ofLanguage('sh', 'http').filter(
    (one) => !STREAMS.includes(basename(one.place.split(':')[0] ?? '')),
  ))
    test(place(block), async () => {
      if (block.info[0] === 'sh') {
        const passwords = block.text.replace(
          'user set-password Administrator',
          "user set-password Administrator <<<'long enough 7'",
        );
        const { statuses } = await reader.run({ ...block, text: passwords });
        assert.ok(
          statuses.every((status) => status === 200),
          String(statuses),
        );
        return;
      }
      const [first = '', ...rest] = block.text.trim().split('\n');
      const [method = '', ...path] = first.split(' ');
      let body = rest.join('\n');
      for (const [from, to] of reader.replacements) body = body.replaceAll(from, to);
      const reply = await request(method, path.join(' '), body);
      assert.equal(reply.status, 200, reply.text);
    });

  test('guide/oauth.md: the program signs a user in', async () => {
    const [program] = ofLanguage('js').filter(({ info }) => info[1] === 'report-tool.mjs');
    assert.ok(program);
    const site = await startTestSite('sqlite');
    const port = await freePort();
    const redirect = `http://127.0.0.1:${port}/callback`;
    try {
      const party = new OAuthParty(site);
      const ann = await party.signedIn('ann@example.com');
      const client = await party.client({
        default_redirect_uri: redirect,
        token_endpoint_auth_method: 'None',
      });
      const file = join(root, 'report-tool.mjs');
      writeFileSync(
        file,
        program.text.replaceAll('8123', String(port)).replace('http://127.0.0.1:8000', site.url),
      );
      const tool = reader.start({ info: [], text: `node ${file} ${client.name}\n`, place: program.place });
      const [, asked = ''] = await tool.until(/^Open (\S+)$/m);
      const back = await party.allowed(ann, Object.fromEntries(new URL(asked).searchParams));
      assert.equal((await fetch(back)).status, 200);
      await tool.until(/^Signed in: ann@example.com$/m);
    } finally {
      await site.stop();
    }
  });
});

describe('data is understood', () => {
  const meaning: Readonly<Record<string, (block: Block) => unknown>> = {
    json: ({ text, info: [, what] }) => {
      const data: unknown = JSON.parse(text);
      if (what !== 'config') return;
      const file = join(root, 'chancery.config.json');
      writeFileSync(file, text);
      loadConfig({ argv: ['--config', file], env: {}, cwd: root });
      assert.ok(data);
    },
    env: ({ text }) => {
      const lines = text
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s));
      // A block may show alternatives: each line is tried with those before it that are of another name.
      const env: Record<string, string> = {};
      for (const [name = '', value = ''] of lines) {
        env[name] = value.replaceAll("'", '');
        loadConfig({ argv: [], env, cwd: root });
      }
    },
    expression: ({ text }) => {
      for (const line of text.trim().split('\n')) parseExpression(line, { before: true, locals: new Set() });
    },
    template: ({ text }) => parseTemplate(text),
    python: ({ text }) => runProgram('python3', ['-c', text], root),
  };
  for (const block of ofLanguage(...Object.keys(meaning)))
    test(place(block), () => {
      meaning[block.info[0] ?? '']?.(block);
    });

  for (const block of ofLanguage('json').filter(({ info }) => info[1] === 'doctype'))
    test(`${place(block)} is a doctype`, async () => {
      const site = await startTestSite('sqlite', { apps: [await loadApp('crm', ROOT)] });
      const reply = await site.request('POST', '/api/resource/DocType', { body: JSON.parse(block.text) });
      await site.stop();
      assert.equal(reply.status, 200, reply.text);
    });
});

describe('modules', () => {
  const modules = ofLanguage('ts', 'js').map((block, index) => {
    const [language, name] = block.info;
    return { block, file: join(root, 'modules', name ?? `module-${index}.${language}`) };
  });
  const ours = modules.filter(({ block }) => block.text.includes("from 'chancery'"));

  before(() => {
    mkdirSync(join(root, 'modules', 'node_modules'), { recursive: true });
    writeFileSync(join(root, 'modules', 'package.json'), '{"type":"module"}');
    for (const name of ['tus-js-client', '@types'])
      symlinkSync(join(ROOT, 'node_modules', name), join(root, 'modules', 'node_modules', name));
    symlinkSync(ROOT, join(root, 'modules', 'node_modules', 'chancery'));
    writeFileSync(
      join(root, 'modules', 'doctypes.d.ts'),
      'export interface DocTypes { Ticket: { name: string } }\n',
    );
    for (const { block, file } of modules) writeFileSync(file, block.text);
  });

  test('all of them compile', () => {
    const compilerOptions = {
      target: 'es2025',
      lib: ['es2025', 'dom', 'dom.iterable'],
      module: 'nodenext',
      types: ['node'],
      customConditions: ['source'],
      allowJs: true,
      checkJs: true,
      strict: true,
      // Blocks in JavaScript have no types of their own.
      noImplicitAny: false,
      strictNullChecks: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true,
    };
    const files = modules.map(({ file }) => file);
    writeFileSync(join(root, 'modules', 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    runProgram(process.execPath, [tsc, '-p', join(root, 'modules')], ROOT);
  });

  for (const { block, file } of ours)
    test(`${place(block)} is part of an app that starts`, async () => {
      const crm = await loadApp('crm', ROOT);
      const [exported] = Object.values(await import(pathToFileURL(file).href)) as [object];
      const isMethod = 'run' in exported;
      const app = {
        name: 'guide',
        ...(isMethod ? { methods: { 'guide.method': exported } } : { controllers: { Ticket: exported } }),
      };
      const { config } = loadConfig({ argv: [], env: {}, cwd: root });
      const data = join(root, `data-${basename(file)}`);
      const site = await openSite({ ...config, data }, { apps: [crm, app as object as typeof crm] });
      await site.close();
    });
});
