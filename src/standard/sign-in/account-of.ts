import { linkIdentity, userOfIdentity } from '../../access/identity.ts';
import { sql } from '../../db/sql.ts';
import { asSystem } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import { createDocument } from '../../document/verbs/create.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { ProvenPerson } from './openid.ts';
import type { SignInProvider } from './provider.ts';

/**
 * The user of a person signed in at a provider: the linked user, else the user with the verified address,
 * else a new user without roles if the provider's settings allow it.
 * @throws ServiceError PermissionError with the same message for every reason
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
  };
  return (await createDocument(asSystem(ctx), 'User', fields)).name;
}

function noAccount(provider: SignInProvider): ServiceError {
  return new ServiceError('PermissionError', `There is no account here for you at ${provider.label}`, {
    title: 'Not permitted',
    messages: [`There is no account here for you at ${provider.label}, or it did not verify your address`],
  });
}
