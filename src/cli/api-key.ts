import { newSecret, replaceSecret } from '../access/api-key.ts';
import { audit } from '../access/audit.ts';
import { sql } from '../db/sql.ts';
import { nowMillis } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { createKey, deleteKey, listKeys } from '../standard/api-key/api-keys.ts';
import { type Command, type Invocation, requireWord, runAction, UsageError } from './command.ts';
import { withSite } from './with-site.ts';

const HOUR = 60 * 60 * 1000;

export const apiKeyCommand: Command = {
  help: 'create, list, rotate and revoke API keys',
  usage: [
    'create --user <name> [--label <text>] [--expires <date>] [--read-only] [--doctypes <a,b>] [--methods <a,b>] [--ips <a,b>]',
    'list [--user <name>]',
    'rotate <key> [--overlap <hours>]',
    'revoke <key>',
  ],
  run: (invocation) => runAction({ create, list, rotate, revoke }, invocation),
};

async function create({ config, flags, print }: Invocation): Promise<number> {
  const { user, label } = flags;
  if (typeof user !== 'string') throw new UsageError('--user <name> is missing');
  const text = (flag: string) => (typeof flags[flag] === 'string' ? flags[flag] : null);
  const made = await withSite(config, (ctx) =>
    createKey(ctx, {
      user,
      label: String(label ?? 'command line').slice(0, LIMITS.keyLabelLength),
      expires_on: expiry(text('expires')),
      read_only: flags['read-only'] === true,
      doctypes: text('doctypes'),
      methods: text('methods'),
      allowed_ips: text('ips'),
    }),
  );
  print(`${made.api_key}:${made.api_secret}`);
  return 0;
}

function expiry(given: string | null): string | null {
  if (given === null || /^\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?$/.test(given)) return given;
  throw new UsageError(
    '--expires must be a date such as 2027-01-31, or a date and time such as "2027-01-31 18:00"',
  );
}

async function list({ config, flags, print }: Invocation): Promise<number> {
  const { user } = flags;
  const keys = await withSite(config, (ctx) =>
    listKeys(ctx, typeof user === 'string' ? sql`"user" = ${user}` : sql`true`),
  );
  for (const key of keys) {
    const notes = [
      key['enabled'] === 1 ? null : 'disabled',
      key['expires_on'] && `until ${String(key['expires_on']).slice(0, 19)}`,
      key['read_only'] === 1 ? 'only reads' : null,
      ...['doctypes', 'methods', 'allowed_ips'].map((limit) =>
        String(key[limit] ?? '').replaceAll('\n', ', '),
      ),
      key['last_used'] ? `used ${String(key['last_used']).slice(0, 16)}` : 'never used',
    ].filter(Boolean);
    const made = String(key['creation']).slice(0, 19);
    print(`${key['name']}  ${key['user']}  ${made}  ${key['label']}  (${notes.join('; ')})`);
  }
  return 0;
}

async function rotate({ config, words, flags, print }: Invocation): Promise<number> {
  const key = requireWord(words, 1, 'The key to renew');
  const hours = Number(flags['overlap'] ?? 24);
  if (!Number.isInteger(hours) || hours < 0 || hours > LIMITS.keyOverlapHours) {
    throw new UsageError(`--overlap must be a whole number of hours, at most ${LIMITS.keyOverlapHours}`);
  }
  const secret = await withSite(config, async (ctx) => {
    const made = newSecret(ctx.site.random);
    const until = hours === 0 ? 0 : nowMillis(ctx.site.clock) + hours * HOUR;
    if (!(await replaceSecret(ctx.db, key, made, until))) throw unknown(key);
    await audit(ctx, {
      event: 'key_rotated',
      doctype: 'API Key',
      name: key,
      details: { overlap_hours: hours },
    });
    return made;
  });
  print(`${key}:${secret}`);
  return 0;
}

async function revoke({ config, words, print }: Invocation): Promise<number> {
  const key = requireWord(words, 1, 'The key to revoke');
  await withSite(config, async (ctx) => {
    if (!(await deleteKey(ctx, key))) throw unknown(key);
  });
  print(`Revoked. A running server refuses it within a second.`);
  return 0;
}

function unknown(key: string): ServiceError {
  return new ServiceError('DoesNotExistError', `There is no API key ${key}`);
}
