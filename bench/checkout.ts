import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Seeded } from './seed.ts';

/** Another commit of this repository, ready to run. */
export interface Checkout {
  readonly directory: string;
  /** Runs the `seed` of that commit: it knows that commit's tables. */
  seed(scratch: string, postgres: string | null, rows: number): Seeded;
  remove(): void;
}

/** Checks a commit out into `directory` and installs its dependencies. */
export function checkout(commit: string, directory: string): Checkout {
  const git = (...args: string[]) => execFileSync('git', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  git('worktree', 'add', '--detach', directory, commit);
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lock(directory) === lock('.')) symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  else execFileSync('npm', ['ci'], { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  return {
    directory,
    seed(scratch, postgres, rows) {
      const module = pathToFileURL(join(directory, 'bench/seed.ts')).href;
      // A file, because threads would inherit the flags of `--eval`.
      const script = join(dirname(directory), 'seed.mjs');
      writeFileSync(
        script,
        `import { seed } from ${JSON.stringify(module)};
        const seeded = await seed(${JSON.stringify(scratch)}, ${JSON.stringify(postgres)}, ${rows});
        process.stdout.write('\\n' + JSON.stringify(seeded));`,
      );
      const printed = execFileSync(process.execPath, ['--conditions=source', script], {
        cwd: directory,
        encoding: 'utf8',
        maxBuffer: 1_000_000_000,
      });
      return JSON.parse(printed.slice(printed.lastIndexOf('\n')));
    },
    remove: () => git('worktree', 'remove', '--force', directory),
  };
}
