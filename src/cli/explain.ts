import { RIGHTS } from '../doctype/doctype.ts';
import { explain } from '../standard/explain.ts';
import { type Command, UsageError } from './command.ts';
import { withSite } from './with-site.ts';

export const explainCommand: Command = {
  help: 'explain why a user may or may not act on a document',
  usage: ['--user <name> --doctype <doctype> [--name <document>] [--right <right>]'],
  async run({ config, flags, print }) {
    const { user, doctype, name, right: asked = 'read' } = flags;
    if (typeof user !== 'string') throw new UsageError('--user is missing');
    if (typeof doctype !== 'string') throw new UsageError('--doctype is missing');
    const right = RIGHTS.find((one) => one === asked);
    if (!right) throw new UsageError(`There is no right ${asked}. The rights are ${RIGHTS.join(', ')}`);
    const about = { user, doctype, right, name: typeof name === 'string' ? name : null };
    const found = await withSite(config, (ctx) => explain(ctx, about));
    print(`${found.allowed ? 'allowed' : 'refused'} by ${found.decided_by}: ${found.reason}`);
    for (const note of found.notes) print(`  ${note}`);
    return 0;
  },
};
