import { checkNewPassword } from '../access/password-policy.ts';
import { sql } from '../db/sql.ts';
import { asSystem } from '../document/context.ts';
import { rowsOf } from '../document/document.ts';
import { createDocument } from '../document/verbs/create.ts';
import { readDocument } from '../document/verbs/read.ts';
import { updateDocument } from '../document/verbs/update.ts';
import { type Command, type Invocation, requireWord, runAction } from './command.ts';
import { readNewPassword } from './read-new-password.ts';
import { withSite } from './with-site.ts';

export const userCommand: Command = {
  help: 'create users, set passwords (from standard input), disable and enable users, add and remove roles',
  usage: [
    'create <email> [--first-name <text>] [--roles <a,b>]',
    'list',
    'set-password <name>',
    'disable <name>',
    'enable <name>',
    'add-role <name> <role>',
    'remove-role <name> <role>',
  ],
  run: (invocation) => runAction(ACTIONS, invocation),
};

const ACTIONS: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  create,
  'set-password': setPassword,
  disable: (invocation) => enable(invocation, 0),
  enable: (invocation) => enable(invocation, 1),
  'add-role': (invocation) => changeRoles(invocation, true),
  'remove-role': (invocation) => changeRoles(invocation, false),
  list,
};

async function create({ config, words, flags, print }: Invocation): Promise<number> {
  const email = requireWord(words, 1, "The user's email address");
  const roles = String(flags['roles'] ?? '')
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '');
  const firstName = flags['first-name'] ?? email.split('@')[0];
  const user = await withSite(config, (ctx) =>
    createDocument(ctx, 'User', { email, first_name: firstName, roles: roles.map((role) => ({ role })) }),
  );
  print(`Created user ${user.name}. Set a password or create an API key:`);
  print(`  chancery user set-password ${user.name}`);
  print(`  chancery api-key create --user ${user.name}`);
  return 0;
}

async function setPassword({ config, words, print }: Invocation): Promise<number> {
  const name = requireWord(words, 1, "The user's name");
  const password = await readNewPassword(name);
  // In a document, asterisks stand for the stored value, so they would change nothing.
  checkNewPassword(password, []);
  await withSite(config, (ctx) => updateDocument(asSystem(ctx), 'User', name, { new_password: password }));
  print(`The password of ${name} is set, and its sessions have ended.`);
  return 0;
}

async function enable({ config, words, print }: Invocation, enabled: 0 | 1): Promise<number> {
  const name = requireWord(words, 1, "The user's name");
  await withSite(config, (ctx) => updateDocument(ctx, 'User', name, { enabled }));
  print(
    enabled ? `${name} is enabled.` : `${name} is disabled. A running server refuses it within a second.`,
  );
  return 0;
}

async function changeRoles({ config, words, print }: Invocation, add: boolean): Promise<number> {
  const name = requireWord(words, 1, "The user's name");
  const role = requireWord(words, 2, 'The role');
  await withSite(config, async (ctx) => {
    const rows = rowsOf(await readDocument(ctx, 'User', name), 'roles');
    const others = rows.filter((row) => row['role'] !== role);
    if (add ? others.length < rows.length : others.length === rows.length) return;
    await updateDocument(ctx, 'User', name, { roles: add ? [...rows, { role }] : others });
  });
  print(add ? `${name} has the role ${role}.` : `${name} does not have the role ${role}.`);
  return 0;
}

async function list({ config, print }: Invocation): Promise<number> {
  const users = await withSite(config, async (ctx) => {
    const rows = await ctx.db.all(
      sql`select "u"."name" as "name", "u"."enabled" as "enabled", "h"."role" as "role" from "User" as "u"
          left join "Has Role" as "h" on "h"."parent" = "u"."name" and "h"."parenttype" = 'User'
          order by "u"."name", "h"."idx"`,
    );
    return Map.groupBy(rows, (row) => String(row['name']));
  });
  for (const [name, rows] of users) {
    const roles = rows.flatMap((row) => row['role'] ?? []).join(', ');
    print(`${name}  ${roles}${rows[0]?.['enabled'] === 1 ? '' : '  (disabled)'}`);
  }
  return 0;
}
