import { newApiKey, storeApiKey } from '../access/api-key.ts';
import { sql } from '../db/sql.ts';
import { timestamp } from '../document/context.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type Command, type Invocation, requireWord, UsageError } from './command.ts';
import { withSite } from './with-site.ts';

export const apiKeyCommand: Command = {
  help: 'make, list and revoke API keys',
  usage: 'create --user <name> [--label <text>] | list [--user <name>] | revoke <key>',
  flags: { user: 'string', label: 'string' },
  async run(invocation) {
    const action = requireWord(invocation.words, 0, 'create, list or revoke');
    if (action === 'create') return create(invocation);
    if (action === 'list') return list(invocation);
    if (action === 'revoke') return revoke(invocation);
    throw new UsageError(`api-key ${action} is not a command: create, list or revoke`);
  },
};

async function create({ config, flags, print }: Invocation): Promise<number> {
  const { user, label } = flags;
  if (typeof user !== 'string') throw new UsageError('--user <name> is missing');
  const made = await withSite(config, async (ctx) => {
    const known = await ctx.db.get(sql`select "name" from "User" where "name" = ${user}`);
    if (!known) throw new ServiceError('DoesNotExistError', `User ${user} not found`);
    const { key, secret } = newApiKey(ctx.site.random);
    const creation = timestamp(ctx.site);
    await storeApiKey(ctx.db, { key, secret, user, label: String(label ?? 'command line'), creation });
    return `${key}:${secret}`;
  });
  print(made);
  return 0;
}

async function list({ config, flags, print }: Invocation): Promise<number> {
  const rows = await withSite(config, (ctx) =>
    ctx.db.all(
      sql`select "api_key", "user", "label", "creation", "enabled" from "_api_key" order by "user", "creation"`,
    ),
  );
  for (const row of rows) {
    if (flags['user'] !== undefined && row['user'] !== flags['user']) continue;
    const state = row['enabled'] === 1 ? '' : '  (disabled)';
    print(`${row['api_key']}  ${row['user']}  ${row['creation']}  ${row['label']}${state}`);
  }
  return 0;
}

async function revoke({ config, words, print }: Invocation): Promise<number> {
  const key = requireWord(words, 1, 'The key to revoke');
  const revoked = await withSite(config, (ctx) =>
    ctx.db.run(sql`delete from "_api_key" where "api_key" = ${key}`),
  );
  if (revoked === 0) throw new ServiceError('DoesNotExistError', `There is no API key ${key}`);
  print(`Revoked. A running server refuses it within a second.`);
  return 0;
}
