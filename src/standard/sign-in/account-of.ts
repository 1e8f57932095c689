import { linkIdentity, userOfIdentity } from '../../access/identity.ts';
import { sql } from '../../db/sql.ts';
import { asSystem, type Context } from '../../document/context.ts';
import { createDocument } from '../../document/create.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { ProvenPerson } from './openid.ts';
import type { SignInProvider } from './provider.ts';

/**
 * The user of somebody who signed in at a provider: the one they were linked to before, else the one of their verified
 * address, else a new one without roles where the provider's settings allow it.
 * @throws ServiceError PermissionError in the same words for every reason
 */
export async function accountOf(
  ctx: Context,
  provider: SignInProvider,
  person: ProvenPerson,
): Promise<string> {
  const known = await userOfIdentity(ctx.db, person);
  if (known !== null) return known;
  const { email } = person;
  if (email === null) throw noAccount(provider);
  const row = await ctx.db.get(sql`select "name", "enabled" from "User" where "name" = ${email}`);
  if (row ? row['enabled'] !== 1 : !provider.allowsSignUps) throw noAccount(provider);
  const user = row ? String(row['name']) : await signUp(ctx, email, person);
  const now = nowMillis(ctx.site.clock);
  return linkIdentity(ctx.db, person, user, now);
}

async function signUp(ctx: Context, email: string, person: ProvenPerson): Promise<string> {
  const fields = {
    email,
    first_name: person.givenName ?? email.split('@')[0] ?? email,
    last_name: person.familyName,
    user_type: 'Website User',
  };
  return (await createDocument(asSystem(ctx), 'User', fields)).name;
}

function noAccount(provider: SignInProvider): ServiceError {
  return new ServiceError('PermissionError', `There is no account here for you at ${provider.label}`, {
    title: 'Not permitted',
    messages: [`There is no account here for you at ${provider.label}, or it did not verify your address`],
  });
}
