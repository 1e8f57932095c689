import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { checkoutFolder, packageJson } from '../config/version.ts';
import { appFiles } from './app-template.ts';
import { type Command, requireWord, UsageError } from './command.ts';

export const newAppCommand: Command = {
  help: 'create the folder of a new app, with a doctype, a hook, a method and a test',
  usage: ['<name>'],
  scope: 'none',
  async run({ words, print }) {
    const name = requireWord(words, 0, "The app's name");
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name) || name.endsWith('-'))
      throw new UsageError(
        `App names use lowercase letters, digits and hyphens (at most 40 characters); got ${name}`,
      );
    const folder = resolve(name);
    if (existsSync(folder)) throw new UsageError(`${folder} already exists`);
    const made = packageJson();
    const checkout = checkoutFolder();
    const versions = {
      chancery: checkout === null ? `^${made.version}` : `file:chancery-${made.version}.tgz`,
      typescript: made.devDependencies?.['typescript'] ?? 'latest',
      '@types/node': made.devDependencies?.['@types/node'] ?? 'latest',
    };
    // A checkout is in no registry.
    const pack = checkout === null ? [] : [`npm pack ${quoted(relative(folder, checkout))}`];
    const files = appFiles(name, versions, [...pack, 'npm install']);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    print(`${name}/ is an app. Next:`);
    print(`  cd ${name}`);
    for (const line of readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^npm .*$/gm))
      print(`  ${line[0]}`);
    return 0;
  },
};

function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : JSON.stringify(path);
}
