/** Loaded before each test file: its properties begin with the seed that `npm test` gives. */
import { readFile } from 'node:fs/promises';

const seed = Number(process.env['CHANCERY_TEST_SEED']);
const [, file] = process.argv;
// The library takes longer to load than many tests, and few of them have properties.
if (seed > 0 && file && (await readFile(file, 'utf8').catch(() => '')).includes("'fast-check'")) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed });
}
