import { audit } from '../access/audit.ts';
import { dropCredentials } from '../access/drop-credentials.ts';
import { requireUnlimited } from '../access/key-scope.ts';
import { endGrantsOf } from '../access/oauth-grant.ts';
import { hashPassword } from '../access/password.ts';
import { checkNewPassword } from '../access/password-policy.ts';
import { endSessionsOf } from '../access/session.ts';
import { replacePassword } from '../access/stored-password.ts';
import { dropTokens } from '../access/token.ts';
import { canonicalUserName } from '../access/user-name.ts';
import { sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import type { Controller } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import { checkLocale, checkUserRecord, deriveUsername, keepOwnRecord, takeProfile } from './user-record.ts';
import { checkUserRename, followUserRename } from './user-rename.ts';

/** Users of every site. Only Administrator may see or change their documents. */
const STANDARD_USERS: readonly string[] = ['Administrator', 'Guest'];

/**
 * Users, named by their address in lower case. `new_password` is hashed, stored apart from documents, and
 * ends the user's sessions. Users cannot set their own password this way, because `update_password` requires
 * the old one.
 */
export function userController(): Controller {
  const newHashes = new WeakMap<Document, string>();

  return {
    beforeInsert(doc) {
      if (typeof doc['email'] !== 'string') return;
      doc['email'] = canonicalUserName(doc['email']);
      // Users may read their own record and change some of its fields.
      doc.owner = doc['email'];
    },

    async beforeValidate(doc, ctx, change) {
      keepOwnRecord(doc, ctx, change);
      await takeProfile(doc, ctx);
      if (typeof doc['email'] === 'string') doc['email'] = canonicalUserName(doc['email']);
      const names = [doc['first_name'], doc['last_name']].filter(
        (part) => typeof part === 'string' && part !== '',
      );
      doc['full_name'] = names.join(' ');
      const password = doc['new_password'];
      // Cleared, because only the hash is stored.
      doc['new_password'] = null;
      if (typeof password !== 'string' || password === '' || /^\*+$/.test(password)) return;
      if (doc.name === ctx.user.name && !ctx.system) {
        throw new ServiceError(
          'ValidationError',
          'Change your own password with update_password, which asks for the old one',
        );
      }
      if (!ctx.system) requireUnlimited(ctx.user);
      checkNewPassword(password, [doc['email'], doc['username']]);
      const key = `hash of ${JSON.stringify([doc['email'], password])}`;
      newHashes.set(doc, await ctx.beforehand(key, () => hashPassword(password)));
    },

    async validate(doc, ctx, change) {
      checkLocale(doc, change);
      await checkUserRecord(doc, ctx);
      await deriveUsername(doc, ctx, change);
      if (STANDARD_USERS.includes(doc.name) && doc['enabled'] !== 1) {
        throw new ServiceError('ValidationError', `User ${doc.name} cannot be disabled`);
      }
    },

    async onUpdate(doc, ctx) {
      const hash = newHashes.get(doc);
      if (hash !== undefined) {
        await replacePassword(ctx.db, doc.name, hash);
        await audit(ctx, { event: 'password_changed', doctype: 'User', name: doc.name });
      } else if (doc['enabled'] !== 1) {
        await endSessionsOf(ctx.db, doc.name);
        await endGrantsOf(ctx.db, doc.name);
        await dropTokens(ctx.db, doc.name);
      }
    },

    async onTrash(doc, ctx) {
      if (STANDARD_USERS.includes(doc.name)) {
        throw new ServiceError('ValidationError', `User ${doc.name} cannot be deleted`);
      }
      await dropCredentials(ctx.db, doc.name);
    },

    beforeRename: (doc, ctx, change) => checkUserRename(doc, ctx, change, STANDARD_USERS),
    afterRename: followUserRename,

    hasPermission: (ctx, doc) => ctx.user.isAdministrator || !STANDARD_USERS.includes(doc.name),

    rowFilter: (ctx) => (ctx.user.isAdministrator ? null : sql`"name" not in ('Administrator', 'Guest')`),
  };
}
