#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read too: they run the Node that the package brings.
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';
import { followParent } from './follow-parent.mjs';
import { resolveSources } from './resolve-sources.mjs';
import { runOn } from './run-on.mjs';
import { bundledNode, fits, isCheckout, missingPackages, refuse, wrongNode } from './runtime.mjs';

followParent();
const missing = missingPackages();
if (missing !== null) refuse(missing);
if (fits()) {
  // Halves the time to start: compiled code is kept from one start to the next, beside what npm installed, so that nobody
  // but whoever may write there can put something else into it. Where that cannot be written, nothing is kept.
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/chancery', import.meta.url)));
  if (isCheckout) resolveSources();
  await import(new URL(isCheckout ? '../src/main.ts' : '../dist/src/main.js', import.meta.url).href);
} else {
  const node = bundledNode();
  if (node === null) refuse(wrongNode());
  else runOn(node, fileURLToPath(import.meta.url));
}
