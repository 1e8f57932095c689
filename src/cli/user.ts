import { asSystem } from '../document/context.ts';
import { createDocument } from '../document/create.ts';
import { updateDocument } from '../document/update.ts';
import { type Command, type Invocation, requireWord, UsageError } from './command.ts';
import { withSite } from './with-site.ts';

export const userCommand: Command = {
  help: 'make users and set passwords',
  usage:
    'create <email> [--first-name <text>] [--roles <a,b>] | set-password <name>   (password on standard input)',
  flags: { 'first-name': 'string', roles: 'string' },
  async run(invocation) {
    const action = requireWord(invocation.words, 0, 'create or set-password');
    if (action === 'create') return create(invocation);
    if (action === 'set-password') return setPassword(invocation);
    throw new UsageError(`user ${action} is not a command: create or set-password`);
  },
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
  print(`User ${user.name} made. Give it a password or an API key:`);
  print(`  chancery user set-password ${user.name}`);
  print(`  chancery api-key create --user ${user.name}`);
  return 0;
}

async function setPassword({ config, words, print }: Invocation): Promise<number> {
  const name = requireWord(words, 1, "The user's name");
  // Not a flag: the command line is visible to every user of the machine.
  if (process.stdin.isTTY) process.stderr.write('New password, then Enter and Ctrl+D: ');
  const password = (await readInput()).replace(/\r?\n$/, '');
  await withSite(config, (ctx) => updateDocument(asSystem(ctx), 'User', name, { new_password: password }));
  print(`Password of ${name} set; its sessions have ended.`);
  return 0;
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
