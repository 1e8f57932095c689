import { parseAddresses } from '../access/address-list.ts';
import { reachOf } from '../access/permission.ts';
import { lockByName } from '../db/named-lock.ts';
import { sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import type { Change } from '../document/change.ts';
import type { Context } from '../document/contract.ts';
import { newRow, rowsOf } from '../document/document.ts';
import { ServiceError } from '../kernel/errors.ts';
import { userTypeOf } from './user-type.ts';

/**
 * Fields of their own record that users may change. `new_password` is refused with a hint to
 * `update_password`.
 */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'first_name',
  'last_name',
  'phone',
  'language',
  'time_zone',
  'desk_theme',
  'user_image',
  'new_password',
]);

/**
 * Ignores changes that users may not make to their own record, or to a record shared with them, like changes
 * of fields above their permlevel.
 */
export function keepOwnRecord(doc: Document, ctx: Context, { before, doctype }: Change): void {
  if (!before || ctx.system || reachOf(ctx.user, doctype, 'write') === 'all') return;
  // A user who may edit another user's record must not be able to sign in as that user.
  if (doc.name !== ctx.user.name) doc['new_password'] = null;
  for (const { fieldname } of doctype.fields) {
    if (!OWN_FIELDS.has(fieldname)) doc[fieldname] = before[fieldname] ?? null;
  }
}

/**
 * Checks locale fields, so that clients can format dates and texts for the user. Values stored before stay.
 * @throws ServiceError ValidationError
 */
export function checkLocale(doc: Document, { before }: Change): void {
  const changed = (fieldname: string): string => {
    const value = doc[fieldname];
    return typeof value === 'string' && value !== before?.[fieldname] ? value : '';
  };
  const [zone, language] = [changed('time_zone'), changed('language')];
  try {
    if (zone !== '') new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    throw new ServiceError('ValidationError', 'time_zone must be a time zone such as UTC or Europe/Zurich');
  }
  if (language !== '' && !/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i.test(language))
    throw new ServiceError('ValidationError', 'language must be a code such as en or de-CH');
}

/** Sets the roles of a user with a profile to the profile's roles, whatever the request says. */
export async function takeProfile(doc: Document, ctx: Context): Promise<void> {
  const profile = doc['role_profile_name'];
  if (typeof profile !== 'string' || profile === '') return;
  const rows = await ctx.db.all(
    sql`select "role" from "Has Role" where "parenttype" = 'Role Profile' and "parent" = ${profile} order by "idx"`,
  );
  const has = new Map(rowsOf(doc, 'roles').map((row) => [row['role'], row]));
  const hasRole = ctx.doctypes.get('Has Role');
  doc['roles'] = rows.map(({ role }) => has.get(role) ?? { ...newRow(hasRole), role: String(role) });
}

/** Names of the standard users, which nobody else may sign in with. */
const RESERVED: ReadonlySet<string> = new Set(['administrator', 'guest']);

/**
 * As in Frappe, a new user without a username gets one from the first name, unless another user has it. An
 * address is no username: it may be the name of a later user.
 */
export async function deriveUsername(doc: Document, ctx: Context, { before }: Change): Promise<void> {
  if (before || doc['username']) return;
  const first = String(doc['first_name'] ?? '').trim();
  const username = first.toLowerCase().replaceAll(/[ -]/g, '_');
  if (username === '' || username.includes('@') || RESERVED.has(username)) return;
  // Users made at once wait for each other, so that the second one stays without.
  await lockByName(ctx.db, `username ${username}`);
  const taken = await ctx.db.get(sql`select 1 as "one" from "User" where "username" = ${username} limit 1`);
  if (!taken) doc['username'] = username;
}

/**
 * Validates the record, removes duplicate roles, and sets the user's type.
 * @throws ServiceError ValidationError
 */
export async function checkUserRecord(doc: Document, ctx: Context): Promise<void> {
  if (typeof doc['restrict_ip'] === 'string') parseAddresses(doc['restrict_ip']);
  for (const fieldname of ['login_after', 'login_before']) {
    if (Number(doc[fieldname] ?? 0) > 23) {
      throw new ServiceError('ValidationError', `${fieldname} must be an hour of the day, 0 to 23`);
    }
  }
  const given = new Map(rowsOf(doc, 'roles').map((row) => [String(row['role']), row]));
  doc['roles'] = [...given.values()];
  doc['user_type'] = await userTypeOf(doc, ctx);
}
