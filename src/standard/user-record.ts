import { parseAddresses } from '../access/address-list.ts';
import { reachOf } from '../access/permission.ts';
import { join, sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import type { Change } from '../document/change.ts';
import type { Context } from '../document/context.ts';
import { newRow, rowsOf } from '../document/document.ts';
import { ServiceError } from '../kernel/errors.ts';

/** What users change of their own record. `new_password` is refused with a word about where it is changed. */
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
 * Passes over what people send of their own record, or of one that is shared with them, that is not theirs to decide, as for
 * fields above their permlevel.
 */
export function keepOwnRecord(doc: Document, ctx: Context, { before, doctype }: Change): void {
  if (!before || ctx.system || reachOf(ctx.user, doctype, 'write') === 'all') return;
  // Whoever may fill in another's record does not sign in as them.
  if (doc.name !== ctx.user.name) doc['new_password'] = null;
  for (const { fieldname } of doctype.fields) {
    if (!OWN_FIELDS.has(fieldname)) doc[fieldname] = before[fieldname] ?? null;
  }
}

/**
 * That clients can show dates and words as a user wants them; what was stored before stays as it is.
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
    throw new ServiceError('ValidationError', 'time_zone is a time zone such as UTC or Europe/Zurich');
  }
  if (language !== '' && !/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i.test(language))
    throw new ServiceError('ValidationError', 'language is a code such as en or de-CH');
}

/** The roles of a user with a profile are those of the profile, whatever was sent. */
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

/**
 * What the fields say must be so, and each role is there once. A user of roles without access to the desk is a Website User.
 * @throws ServiceError ValidationError
 */
export async function checkUserRecord(doc: Document, ctx: Context): Promise<void> {
  if (typeof doc['restrict_ip'] === 'string') parseAddresses(doc['restrict_ip']);
  for (const fieldname of ['login_after', 'login_before']) {
    if (Number(doc[fieldname] ?? 0) > 23) {
      throw new ServiceError('ValidationError', `${fieldname} is an hour of the day: 0 to 23`);
    }
  }
  const given = new Map(rowsOf(doc, 'roles').map((row) => [String(row['role']), row]));
  doc['roles'] = [...given.values()];
  const roles = [...given.keys()].map((role) => sql`${role}`);
  if (roles.length === 0 || doc['user_type'] === 'Website User' || doc.name === 'Administrator') return;
  const desk = await ctx.db.get(
    sql`select 1 as "one" from "Role" where "name" in (${join(roles)}) and "desk_access" = 1 limit 1`,
  );
  if (!desk) doc['user_type'] = 'Website User';
}
