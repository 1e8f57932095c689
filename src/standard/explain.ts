import { loadUser } from '../access/load-user.ts';
import { ADMINISTRATOR, type CurrentUser, GUEST, isSystemManager } from '../access/user.ts';
import { RIGHTS, type Right } from '../doctype/doctype.ts';
import type { Context, Method } from '../document/contract.ts';
import { hasRightOn } from '../document/load/rights-on.ts';
import { type Explanation, explainPermission } from '../document/verbs/explain.ts';
import { defineMethod } from '../document/verbs/method.ts';
import { ServiceError } from '../kernel/errors.ts';

/** A question to explain. */
export interface Question {
  /** Null: the caller. */
  readonly user: string | null;
  readonly doctype: string;
  readonly right: Right;
  readonly name: string | null;
}

export const explainMethods: Readonly<Record<string, Method>> = {
  'chancery.explain_permission': defineMethod({
    http: ['GET', 'POST'],
    description:
      'Explain why a user may or may not act on a document. Only System Managers may ask about others',
    args: {
      doctype: { type: 'Data', required: true },
      name: { type: 'Data', description: 'Name of a document; without it, the answer is about any document' },
      right: { type: 'Select', options: RIGHTS, default: 'read' },
      user: { type: 'Data', description: 'Name of a user; default: the caller' },
      steps: { type: 'Check', description: 'Also list every rule that took part, as `steps`' },
    },
    async run(ctx, { steps: isDetailed, ...question }) {
      const { steps, ...found } = await explain(ctx, question);
      return isDetailed ? { ...found, steps } : found;
    },
  }),
};

/**
 * Explains a permission decision to a person. A caller who asks about themselves learns nothing about a
 * document that they may not read, not even whether it exists.
 * @throws ServiceError PermissionError, DoesNotExistError
 */
export async function explain(ctx: Context, question: Question): Promise<Explanation> {
  const { doctype, right, name } = question;
  const manages = isSystemManager(ctx.user);
  if (question.user !== null && question.user !== ctx.user.name && !manages) {
    throw new ServiceError('PermissionError', "Only a System Manager may explain another user's permissions");
  }
  const user = await userOf(ctx, question.user ?? ctx.user.name);
  const found = await explainPermission(ctx, user, doctype, right, name);
  if (name === null) return found;
  const knows = await mayKnow(ctx, question);
  if (found.allowed) return knows ? found : { ...found, steps: [] };
  if (manages && knows) return found;
  const reason = `No rule lets ${user.name} ${right} ${doctype} ${name}, or it does not exist`;
  return { allowed: false, decided_by: 'missing', reason, notes: [], steps: [] };
}

// A manager without access to the document must not learn its content this way.
async function mayKnow(ctx: Context, { doctype, name }: Question): Promise<boolean> {
  if (ctx.user.isAdministrator || name === null) return true;
  return hasRightOn(ctx, ctx.doctypes.get(doctype), name, 'read');
}

async function userOf(ctx: Context, name: string): Promise<CurrentUser> {
  if (name === ctx.user.name) return ctx.user;
  if (name === 'Administrator') return ADMINISTRATOR;
  if (name === 'Guest') return GUEST;
  const user = await loadUser(ctx.db, name, ctx.site.settings.strictUserPermissions);
  if (!user) throw new ServiceError('DoesNotExistError', `User ${name} not found, or disabled`);
  return user;
}
