/** The Dockerfile and the files in deploy/ repeat facts of the server. These tests compare them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { PLACES, STOP_SECONDS } from '../../src/cli/service-unit.ts';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { ROOT, runProgram } from '../support/package.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const COMPOSE = ['compose.yaml', 'deploy/cluster/compose.yaml'];
const FILES = ['Dockerfile', ...COMPOSE, ...globSync('deploy/**/*.*', { cwd: ROOT }), 'docs/guide/deploy.md'];

test('every variable that they set is a setting', () => {
  const known = new Set(SETTINGS.flatMap(({ variable, envAlias }) => [variable, envAlias]));
  const unknown = FILES.flatMap((path) =>
    [...read(path).matchAll(/\bCHANCERY_[A-Z_]+/g)].flatMap(([name]) =>
      known.has(name) ? [] : `${path}: ${name}`,
    ),
  );
  assert.deepEqual(unknown, []);
});

test('the image has the port and the directories of the service', () => {
  const image = read('Dockerfile');
  assert.equal(/^EXPOSE (\d+)$/m.exec(image)?.[1], String(DEFAULT_CONFIG.port));
  assert.equal(/^VOLUME (.+)$/m.exec(image)?.[1], PLACES.data);
  assert.equal(/^WORKDIR (.+)$(?![\s\S]*^WORKDIR)/m.exec(image)?.[1], PLACES.configuration);
});

/** What the tests read of a service. */
interface Service {
  readonly image?: string;
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly ports?: readonly string[];
}

test('the servers of compose files have time to stop, and a file system to read only', () => {
  for (const path of COMPOSE) {
    const { services } = parse(read(path), { merge: true }) as { services: Record<string, Service> };
    const servers = Object.values(services).filter(({ image }) => image === 'chancery');
    assert.ok(servers.length > 0, path);
    for (const { stop_grace_period: stop = '', read_only: isReadOnly, ports = [] } of servers) {
      assert.ok(Number(/^(\d+)s$/.exec(stop)?.[1]) >= STOP_SECONDS, `${path}: ${stop}`);
      assert.equal(isReadOnly, true, path);
      for (const port of ports) assert.match(port, new RegExp(`:${DEFAULT_CONFIG.port}$`));
    }
  }
  const stop = Number(/--stop-timeout (\d+)/.exec(read('docs/guide/deploy.md'))?.[1]);
  assert.ok(stop >= STOP_SECONDS);
});

const noCompose = spawnSync('docker-compose', ['--version']).status !== 0 && 'there is no docker-compose';
for (const path of COMPOSE)
  test(`docker-compose accepts ${path}`, { skip: noCompose }, () => {
    const env = path === 'compose.yaml' ? [] : ['--env-file', 'deploy/cluster/example.env'];
    runProgram('docker-compose', [...env, '--file', path, 'config', '--quiet'], ROOT);
  });
