// Plain JavaScript that old versions of Node can read too, so that it can say what is missing.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** A checkout runs its sources as they are; the published package holds compiled ones. */
export const isCheckout = existsSync(join(ROOT, 'src/main.ts'));

/** Whether Chancery runs on this version of Node. `engines` in package.json decides. */
export function fits(version = process.versions.node) {
  return manifest.engines.node.split('||').some((range) => {
    const [, sign, least] = /^\s*(\^|>=)(\d+\.\d+\.\d+)\s*$/.exec(range);
    const [wanted, given] = [least, version].map((text) =>
      text.split('.').map((part) => Number.parseInt(part, 10)),
    );
    const place = given.findIndex((part, index) => part !== wanted[index]);
    const isOlder = place !== -1 && given[place] < wanted[place];
    return !isOlder && (sign === '>=' || given[0] === wanted[0]);
  });
}

/** Path of the Node that the package brings for this platform; null where it was not installed. */
export function bundledNode() {
  const require = createRequire(import.meta.url);
  for (const name of Object.keys(manifest.optionalDependencies)) {
    if (!name.startsWith('node-')) continue;
    try {
      const path = require.resolve(`${name}/package.json`);
      const { os, cpu, bin } = JSON.parse(readFileSync(path, 'utf8'));
      const isOurs = [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch);
      if (isOurs) return join(dirname(path), bin.node);
    } catch {
      // Of another platform, or left out.
    }
  }
  return null;
}

/** What to do when a checkout has no packages; null when it has them. */
export function missingPackages() {
  if (!isCheckout) return null;
  const missing = Object.keys(manifest.dependencies).filter(
    (name) => !existsSync(join(ROOT, 'node_modules', name)),
  );
  return missing.length === 0 ? null : `Packages are missing: ${missing.join(', ')}.\nRun this first: npm ci`;
}

/** What to do about a Node that does not fit. */
export function wrongNode() {
  return [
    `Chancery runs on Node ${manifest.engines.node}. This is Node ${process.versions.node}.`,
    'The package brings one that fits, but it is not installed here. Do one of these:',
    isCheckout
      ? '- run "npm ci" without leaving out optional packages'
      : '- install chancery again without leaving out optional packages',
    '- install a newer Node from https://nodejs.org',
  ].join('\n');
}

/** What to do when the Node of the package does not start. */
export function needsLibrary(node) {
  return [
    `${node} does not start: a library of the system is missing. Do one of these:`,
    '- install libatomic: "apt-get install libatomic1" on Debian and Ubuntu, "dnf install libatomic" on Fedora',
    `- install Node ${manifest.engines.node} from https://nodejs.org`,
  ].join('\n');
}

/** Ends the process with a message for the person. */
export function refuse(message) {
  console.error(message);
  process.exit(1);
}
