import { requireUnlimited } from '../../access/key-scope.ts';
import { reachOf } from '../../access/permission.ts';
import { sql } from '../../db/sql.ts';
import type { Controller } from '../../document/contract.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { deleteKey, limitsOf, listKeys, storeKey } from './api-keys.ts';
import { parseLimits } from './key-limits.ts';

/**
 * API keys as documents owned by their users: names, limits and last use. `chancery.api_key.create` makes
 * them and shows the secret; the documents never contain it.
 */
export const apiKeyController: Controller = {
  list(ctx, { doctype }) {
    const isManager = reachOf(ctx.user, doctype, 'read') === 'all';
    return listKeys(ctx, isManager ? sql`true` : sql`"user" = ${ctx.user.name}`);
  },
  read: async (ctx, name) => (await listKeys(ctx, sql`"api_key" = ${name}`))[0] ?? null,

  validate(doc, ctx, { before }) {
    requireUnlimited(ctx.user);
    doc['user'] = before?.['user'] ?? null;
    if (String(doc['label'] ?? '').length > LIMITS.keyLabelLength) {
      throw new ServiceError('ValidationError', `A label has at most ${LIMITS.keyLabelLength} characters`);
    }
    parseLimits(ctx, limitsOf(doc));
  },
  async update(ctx, doc) {
    await storeKey(ctx, doc);
    return (await listKeys(ctx, sql`"api_key" = ${doc.name}`))[0];
  },

  onTrash(_doc, ctx) {
    requireUnlimited(ctx.user);
  },
  async delete(ctx, doc) {
    await deleteKey(ctx, doc.name);
  },

  // Administrator's keys open everything, so other System Managers cannot see them, like Administrator
  // itself.
  hasPermission: (ctx, doc) => ctx.user.isAdministrator || doc['user'] !== 'Administrator',
};
