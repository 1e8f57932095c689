import { hashPassword } from '../access/password.ts';
import { endSessionsOf } from '../access/session.ts';
import type { Connection } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import type { Controller } from '../document/controller.ts';
import { ServiceError } from '../kernel/errors.ts';
import { checkUserRename, followUserRename } from './user-rename.ts';

/** Users that every site has; only Administrator may see or change them through documents. */
const STANDARD_USERS: readonly string[] = ['Administrator', 'Guest'];

/** Shorter passwords are guessed. */
const PASSWORD_LEAST = 10;

/** Sets or replaces a user's password hash. */
export async function storePassword(connection: Connection, user: string, hash: string): Promise<void> {
  await connection.run(
    sql`insert into "_password" ("user", "hash") values (${user}, ${hash})
        on conflict ("user") do update set "hash" = excluded."hash"`,
  );
}

/**
 * Users: named by their address in lower case. `new_password` becomes a hash beside the documents and ends the user's
 * sessions; hashing takes some 30 ms, during which SQLite's one writer waits.
 */
export function userController(): Controller {
  const newHashes = new WeakMap<Document, string>();

  return {
    beforeInsert(doc) {
      if (typeof doc['email'] === 'string') doc['email'] = doc['email'].trim().toLowerCase();
    },

    async beforeValidate(doc) {
      if (typeof doc['email'] === 'string') doc['email'] = doc['email'].trim().toLowerCase();
      const names = [doc['first_name'], doc['last_name']].filter(
        (part) => typeof part === 'string' && part !== '',
      );
      doc['full_name'] = names.join(' ');
      const password = doc['new_password'];
      // Never a secret to be read again: only the hash stays.
      doc['new_password'] = null;
      if (typeof password !== 'string' || password === '' || /^\*+$/.test(password)) return;
      if (password.length < PASSWORD_LEAST) {
        throw new ServiceError(
          'ValidationError',
          `The password must have at least ${PASSWORD_LEAST} characters`,
        );
      }
      newHashes.set(doc, await hashPassword(password));
    },

    validate(doc) {
      if (STANDARD_USERS.includes(doc.name) && doc['enabled'] !== 1) {
        throw new ServiceError('ValidationError', `User ${doc.name} cannot be disabled`);
      }
    },

    async onUpdate(doc, ctx) {
      const hash = newHashes.get(doc);
      if (hash !== undefined) await storePassword(ctx.db, doc.name, hash);
      if (hash !== undefined || doc['enabled'] !== 1) await endSessionsOf(ctx.db, doc.name);
    },

    async onTrash(doc, ctx) {
      if (STANDARD_USERS.includes(doc.name)) {
        throw new ServiceError('ValidationError', `User ${doc.name} cannot be deleted`);
      }
      await endSessionsOf(ctx.db, doc.name);
      await ctx.db.run(sql`delete from "_api_key" where "user" = ${doc.name}`);
      await ctx.db.run(sql`delete from "_password" where "user" = ${doc.name}`);
    },

    beforeRename: (doc, ctx, change) => checkUserRename(doc, ctx, change, STANDARD_USERS),
    afterRename: followUserRename,

    hasPermission: (ctx, doc) => ctx.user.isAdministrator || !STANDARD_USERS.includes(doc.name),

    rowFilter: (ctx) => (ctx.user.isAdministrator ? null : sql`"name" not in ('Administrator', 'Guest')`),
  };
}
