/** The configurations of proxies in docs/guide/deploy.md and deploy/, run by the proxies in front of a server. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Agent, type Dispatcher } from 'undici';
import { READY } from '../../src/http/service/addresses.ts';
import { freePort } from '../support/free-port.ts';
import { ROOT, temporaryFolder } from '../support/package.ts';
import { blocksOf, pageReader } from '../support/page.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const root = temporaryFolder('proxies');
const KEY = 'admin:admin-secret-0123456789';
const PASSWORD = 'a password of the tests';
const certificate = (name: string) => join(ROOT, `test/support/certificates/${name}.pem`);
const missing = (program: string, flag: string) =>
  spawnSync(program, [flag]).error !== undefined && `there is no ${program}`;
/** Writes a file for a proxy, with the text of a page or a file adapted to this machine. */
function place(name: string, text: string, adapted: Readonly<Record<string, string>>): string {
  let mine = text;
  for (const [from, to] of Object.entries(adapted)) {
    assert.ok(mine.includes(from), `${from} in ${text}`);
    mine = mine.replaceAll(from, to);
  }
  const path = join(root, name);
  writeFileSync(path, mine);
  return path;
}

const page = blocksOf(join(ROOT, 'docs/guide/deploy.md'));
const blockOf = (language: string) => page.find(({ info }) => info[0] === language)?.text ?? '';
const CADDY = '{\n\tadmin off\n\tauto_https off\n}\n';
const TLS = `{\n\ttls ${certificate('server')} ${certificate('server.key')}\n`;

interface Proxy {
  readonly name: string;
  readonly skip: string | false;
  /** Writes the configuration for these ports. @returns the command that runs the proxy */
  readonly command: (port: number, server: string) => string;
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'Caddy',
    skip: missing('caddy', 'version'),
    command(port, server) {
      const path = place('Caddyfile', CADDY + blockOf('caddy'), {
        'chancery.example.com {\n': `https://localhost:${port} ${TLS}`,
        '127.0.0.1:8000': server,
      });
      return `caddy run --adapter caddyfile --config ${path}`;
    },
  },
  {
    name: 'Caddy of the cluster',
    skip: missing('caddy', 'version'),
    command(port, server) {
      const text = readFileSync(join(ROOT, 'deploy/cluster/Caddyfile'), 'utf8');
      assert.ok(text.includes(`health_uri ${READY.path}\n`));
      const path = place('Caddyfile-cluster', CADDY + text, {
        '{$SITE_NAME} {\n': `https://localhost:${port} ${TLS}`,
        // One of them answers.
        'chancery-1:8000 chancery-2:8000 chancery-3:8000': `127.0.0.1:1 ${server} 127.0.0.1:2`,
      });
      return `caddy run --adapter caddyfile --config ${path}`;
    },
  },
  {
    name: 'nginx',
    skip: missing('nginx', '-v'),
    command(port, server) {
      const folder = join(root, 'nginx');
      mkdirSync(folder, { recursive: true });
      const site = place('nginx/site.conf', blockOf('nginx'), {
        'server 127.0.0.1:8000': `server ${server}`,
        'listen 443 ': `listen 127.0.0.1:${port} `,
        'listen 80;': `listen unix:${folder}/plain;`,
        'chancery.example.com;': 'localhost;',
        '/etc/letsencrypt/live/chancery.example.com/fullchain.pem': certificate('server'),
        '/etc/letsencrypt/live/chancery.example.com/privkey.pem': certificate('server.key'),
      });
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      writeFileSync(
        join(folder, 'nginx.conf'),
        `daemon off; pid ${folder}/pid; error_log stderr;\nevents {}\n` +
          `http { access_log off; ${paths.join(' ')} include ${site}; }\n`,
      );
      return `nginx -p ${folder} -e stderr -c ${folder}/nginx.conf`;
    },
  },
];

describe('behind a proxy', () => {
  let server: ServerProcess;
  const reader = pageReader(root, { XDG_DATA_HOME: root, XDG_CONFIG_HOME: root });
  const agent = new Agent({ connect: { ca: readFileSync(certificate('authority')) } });

  before(async () => {
    const [settings = ''] = /^CHANCERY_TRUST_PROXY=.*$/m.exec(blockOf('env')) ?? [];
    const env = {
      CHANCERY_ADMIN_API_KEY: KEY,
      CHANCERY_ADMIN_PASSWORD: PASSWORD,
      CHANCERY_TRUST_PROXY: settings.split('=')[1] ?? '',
    };
    server = await startServerProcess(['--data', join(root, 'data')], { env });
  });
  after(async () => {
    await reader.leave();
    await agent.close();
    await server?.end('SIGINT');
  });

  for (const { name, skip, command } of PROXIES) {
    test(`${name}: TLS, secure cookies, large uploads, and events as they happen`, { skip }, async () => {
      const port = await freePort();
      reader.start({ info: [], text: command(port, new URL(server.url).host), place: name });
      const url = `https://localhost:${port}`;
      const call = (path: string, options: Omit<Dispatcher.RequestOptions, 'path' | 'origin'>) =>
        agent.request({ origin: url, path, ...options });
      const answers = () =>
        call(READY.path, { method: 'GET' }).then(
          async (reply) => (await reply.body.text()) && reply.statusCode === 200,
          () => false,
        );
      await until(answers);

      const headers = { authorization: `token ${KEY}` };
      const opened = Promise.withResolvers<string>();
      const stream = request(
        `${url}/api/events?doctype=Ticket`,
        { headers, ca: readFileSync(certificate('authority')) },
        (reply) => {
          let text = '';
          reply.setEncoding('utf8').on('data', (chunk) => {
            text += chunk;
            if (text.includes('event: open')) opened.resolve(text);
          });
        },
      ).end();
      assert.match(await opened.promise, /event: open/);
      stream.on('error', () => {}).destroy();

      const login = await call('/api/method/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ usr: 'Administrator', pwd: PASSWORD }),
      });
      assert.equal(login.statusCode, 200, await login.body.text());
      for (const cookie of [login.headers['set-cookie'] ?? ''].flat()) assert.match(cookie, /; Secure/);
      const uploaded = await call('/api/method/upload_file', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
        body: `--b\r\ncontent-disposition: form-data; name="file"; filename="${port}.txt"\r\n\r\n${'x'.repeat(5_000_000)}\r\n--b--\r\n`,
      });
      assert.equal(uploaded.statusCode, 200, await uploaded.body.text());
    });
  }
});
