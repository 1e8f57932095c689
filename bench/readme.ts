/**
 * `npm run bench:readme` writes the tables of bench/results/*.json into bench/README.md, each between its two
 * comments. Every bench writes such a file with `--json bench/results/NAME.json`.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { markdownOf } from './results.ts';

const README = 'bench/README.md';

let text = readFileSync(README, 'utf8');
for (const path of globSync('bench/results/*.json').toSorted()) {
  const name = basename(path, '.json');
  const block = new RegExp(`(<!-- results of ${name} -->\\n)[^]*?(<!-- end of ${name} -->)`);
  if (!block.test(text)) throw new Error(`${README} has no place for the results of ${name}`);
  const table = markdownOf(JSON.parse(readFileSync(path, 'utf8')));
  text = text.replace(block, (_, begin, end) => `${begin}\n${table}\n\n${end}`);
}
writeFileSync(README, text);
