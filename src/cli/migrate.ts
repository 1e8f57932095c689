import { openSite } from '../site/open-site.ts';
import type { Command } from './command.ts';

export const migrateCommand: Command = {
  help: 'bring the database in step with this version and its apps, without serving',
  async run({ config, print }) {
    let tables = 0;
    const site = await openSite(config, {
      planEverything: true,
      observe: (observation) => {
        if (observation.kind !== 'schema_changed') return;
        tables += 1;
        print(`${observation.doctype}: ${observation.changes} changes`);
      },
    });
    const made = site.firstStart;
    await site.close();
    print(tables === 0 ? 'Everything was in step.' : `${tables} tables changed.`);
    if (made?.password) print(`Password of Administrator, shown only now: ${made.password}`);
    if (made?.apiKey) print(`API key of Administrator, shown only now: ${made.apiKey}`);
    return 0;
  },
};
