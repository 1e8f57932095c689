import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A row of docs/interface-coverage.md: a sentence of the interface. */
export interface CoverageRow {
  /** The section and the number within it: `4.1-3`. */
  readonly id: string;
  readonly sentence: string;
  /** Paths of the code that keeps the sentence. Empty where the interface leaves it open. */
  readonly sources: readonly string[];
  readonly tests: readonly NamedTest[];
}

/** A test by its file and its title in the source, which may contain `${…}`. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** The rows of docs/interface-coverage.md, in order. */
export function coverageRows(root: string): readonly CoverageRow[] {
  const page = readFileSync(join(root, 'docs/interface-coverage.md'), 'utf8');
  return [...page.matchAll(/^\| ([\d.]+-\d+) \| (.+) \| (.+) \| (.+) \|$/gm)].map(
    ([, id = '', sentence = '', source = '', tests = '']) => ({
      id,
      sentence,
      sources: [...source.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
      tests: [...tests.matchAll(/`(\S+\.test\.ts)`: (.+?)(?=<br>|$)/g)].map(([, file = '', title = '']) => ({
        file,
        title,
      })),
    }),
  );
}

/** A change of the source that breaks sentences of the interface. */
export interface Mutation {
  /** The ids of the broken rows. */
  readonly rows: readonly string[];
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

/** The mutations of test/mutations.txt, in order: a head with rows and file, then a `-` line and a `+` line. */
export function mutations(root: string): readonly Mutation[] {
  const lines = readFileSync(join(root, 'test/mutations.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length % 3 !== 0) throw new Error('test/mutations.txt: a mutation has three lines');
  return lines.flatMap((head, index) => {
    if (index % 3 !== 0) return [];
    const [file = '', ...rows] = head.split(' ').toReversed();
    const [text = '', replacement = ''] = [lines[index + 1], lines[index + 2]];
    if (!text.startsWith('- ') || !replacement.startsWith('+')) {
      throw new Error(`test/mutations.txt: after "${head}" come a "- " line and a "+" line`);
    }
    return [{ rows: rows.toReversed(), file, text: text.slice(2), replacement: replacement.slice(2) }];
  });
}
