import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { DocType } from '../doctype/doctype.ts';
import { renderTypes } from '../doctype/render-types.ts';
import type { Method } from '../document/contract.ts';
import { appDoctypes } from '../site/schema/apps/app-doctypes.ts';
import { loadApp } from '../site/schema/apps/load-app.ts';
import { type Command, UsageError } from './command.ts';
import { withSite } from './with-site.ts';

export const typesCommand: Command = {
  help: 'write TypeScript types of the doctypes and methods of the site, or of the given apps, without a database',
  // The command's own meaning of --apps: only the files of these apps.
  usage: ['[--apps <a,b>] [--out <file>] [--check]'],
  async run({ config, flags, print }) {
    const { apps, out = 'doctypes.d.ts' } = flags;
    const { doctypes, methods } = typeof apps === 'string' ? await ofApps(apps) : await ofSite(config);
    const path = resolve(String(out));
    const taken = [...methods].map(([name, { args }]) => [name, args] as const);
    const text = renderTypes(doctypes, new Map(taken));
    const current = existsSync(path) ? readFileSync(path, 'utf8') : null;
    if (flags['check']) {
      print(current === text ? `${out} is up to date.` : `${out} is stale: run chancery types again.`);
      return current === text ? 0 : 1;
    }
    if (current !== text) writeFileSync(path, text);
    print(`${out}: ${doctypes.length} doctypes`);
    return 0;
  },
};

interface Typed {
  readonly doctypes: readonly DocType[];
  readonly methods: ReadonlyMap<string, Method>;
}

async function ofApps(list: string): Promise<Typed> {
  const names = list.split(',').map((name) => name.trim());
  const apps = await Promise.all(names.filter(Boolean).map((name) => loadApp(name, process.cwd())));
  if (apps.length === 0) throw new UsageError('--apps names no app');
  const methods = new Map(apps.flatMap((app) => Object.entries(app.methods ?? {})));
  return { doctypes: appDoctypes(apps), methods };
}

function ofSite(config: Config): Promise<Typed> {
  return withSite(config, async (ctx, { methods }) => ({ doctypes: ctx.doctypes.all(), methods }));
}
