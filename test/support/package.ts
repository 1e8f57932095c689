import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

/** This checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a program to its end. @throws AssertionError with what it wrote unless it ends with 0 */
export function runProgram(program: string, argv: readonly string[], cwd: string): string {
  const done = spawnSync(program, argv, { cwd, encoding: 'utf8', env: userEnvironment() });
  const said = `${program} ${argv.join(' ')}\n${done.stdout}${done.stderr}${done.error ?? ''}`;
  assert.equal(done.status, 0, said);
  return done.stdout;
}

/**
 * The environment of somebody who has this Node and no settings of ours or of npm's. Tests run inside of `npm
 * test`, whose variables would tell an inner npm to do as the outer one.
 */
export function userEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(CHANCERY|npm|NODE)_/i.test(name));
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  return { ...Object.fromEntries(kept), PATH: path } as Record<string, string>;
}

/** A folder that goes when the test file is done. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), `chancery-${prefix}-`));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The package as npm would publish and unpack it, its dependencies those of this checkout. Resolves to its folder, in
 * a folder of its own.
 */
export function unpackedPackage(root: string): string {
  const stage = join(root, 'stage');
  mkdirSync(stage);
  for (const name of ['package.json', 'bin', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'])
    cpSync(join(ROOT, name), join(stage, name), { recursive: true });
  runProgram(process.execPath, ['scripts/build.ts', join(stage, 'dist')], ROOT);
  // Built already, and npm's own scripts would look for the sources.
  runProgram('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', root], stage);
  const tarball = readdirSync(root).find((name) => name.endsWith('.tgz'));
  assert.ok(tarball);
  runProgram('tar', ['-xzf', tarball], root);
  const unpacked = join(root, 'package');
  symlinkSync(join(ROOT, 'node_modules'), join(unpacked, 'node_modules'), 'junction');
  return unpacked;
}

/** What `npm install chancery typescript @types/node` leaves in a folder, without the network. */
export function linkPackages(folder: string, unpacked: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@types'), { recursive: true });
  mkdirSync(join(modules, '.bin'));
  const link = (target: string, path: string) => symlinkSync(target, join(modules, path), 'junction');
  link(unpacked, 'chancery');
  link(join(ROOT, 'node_modules/typescript'), 'typescript');
  link(join(ROOT, 'node_modules/@types/node'), '@types/node');
  link(join(unpacked, 'bin/chancery.mjs'), '.bin/chancery');
  link(join(ROOT, 'node_modules/typescript/bin/tsc'), '.bin/tsc');
}
