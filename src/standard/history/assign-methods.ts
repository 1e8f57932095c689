import { loadUser } from '../../access/load-user.ts';
import type { ValuesOf } from '../../doctype/arguments.ts';
import type { Context, Method } from '../../document/contract.ts';
import { requireRight } from '../../document/load/permit.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type AutomaticComment, commentAutomatically, escapeHtml } from './comment.ts';
import { type Marked, openMarked, usersIn, usersText, writeSide } from './side.ts';

const ASSIGNED = {
  doctype: { type: 'Data', required: true },
  name: { type: 'Data', required: true },
} as const;

const ADDED = {
  ...ASSIGNED,
  assign_to: { type: 'Data', list: true, required: true, description: 'Names of users' },
  description: { type: 'Text' },
} as const;

const REMOVED = {
  ...ASSIGNED,
  assign_to: { type: 'Data', required: true, description: 'Name of a user' },
} as const;

// Default fields of a ToDo.
const OF_TODO = {
  date: { type: 'Data' },
  priority: { type: 'Data' },
  assigned_by: { type: 'Data' },
  assignment_rule: { type: 'Data' },
  notify: { type: 'JSON' },
  bulk_assign: { type: 'JSON' },
  re_assign: { type: 'JSON' },
} as const;

/** One assignment, as clients know it. There are no ToDo documents, so `name` is the user as well. */
interface Assignment {
  readonly owner: string;
  readonly name: string;
}

/** Assignments of a document: `_assign`, with a comment for each change. They require the read right. */
export const assignMethods: Readonly<Record<string, Method>> = {
  'frappe.desk.form.assign_to.add': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Assign a document to users',
    args: { ...ADDED, ...OF_TODO },
    run: assign,
  }),
  'frappe.desk.form.assign_to.remove': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Remove the assignment of a document to a user',
    args: REMOVED,
    run: unassign,
  }),
};

async function assign(ctx: Context, args: ValuesOf<typeof ADDED>): Promise<Assignment[]> {
  const wanted = new Set(args.assign_to);
  const marked = await openMarked(ctx, args.doctype, args.name, 'read');
  const stored = usersIn(marked, '_assign');
  const added = [...wanted].filter((user) => !stored.includes(user));
  if (stored.length + added.length > LIMITS.assignees) {
    throw new ServiceError(
      'ValidationError',
      `A document can be assigned to at most ${LIMITS.assignees} users`,
    );
  }
  for (const user of added) await requireAssignable(ctx, marked, user);
  const users = [...stored, ...added];
  if (added.length > 0) await writeSide(ctx, marked, '_assign', usersText(users));
  const description = args.description?.trim() ?? '';
  for (const user of added)
    await comment(ctx, marked, 'Assigned', assigned(ctx.user.name, user, description));
  return users.map(assignmentOf);
}

async function unassign(ctx: Context, args: ValuesOf<typeof REMOVED>): Promise<Assignment[]> {
  const { assign_to: user } = args;
  const marked = await openMarked(ctx, args.doctype, args.name, 'read');
  const stored = usersIn(marked, '_assign');
  const users = stored.filter((one) => one !== user);
  if (users.length < stored.length) {
    await writeSide(ctx, marked, '_assign', usersText(users));
    const html =
      user === ctx.user.name
        ? `${bold(user)} removed their assignment`
        : `assignment of ${bold(user)} removed by ${bold(ctx.user.name)}`;
    await comment(ctx, marked, 'Assignment Completed', html);
  }
  return users.map(assignmentOf);
}

/**
 * Uses the same message for a missing user: the right to assign does not include the right to know who has an
 * account.
 */
async function requireAssignable(ctx: Context, { doctype, doc }: Marked, name: string): Promise<void> {
  const user = await loadUser(ctx.db, name, ctx.site.settings.strictUserPermissions);
  try {
    if (user && !user.isGuest) return await requireRight({ ...ctx, user }, doctype, 'read', doc);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.type !== 'PermissionError') throw error;
  }
  throw new ServiceError('ValidationError', `User ${name} is not permitted to access this document.`);
}

async function comment(
  ctx: Context,
  { doctype, doc }: Marked,
  type: AutomaticComment,
  html: string,
): Promise<void> {
  await commentAutomatically(ctx, doctype.name, doc.name, type, html);
}

function assigned(by: string, to: string, description: string): string {
  const text = by === to ? `${bold(by)} self assigned this` : `${bold(by)} assigned ${bold(to)}`;
  return description === '' ? text : `${text}: ${escapeHtml(description)}`;
}

function bold(text: string): string {
  return `<strong>${escapeHtml(text)}</strong>`;
}

function assignmentOf(user: string): Assignment {
  return { owner: user, name: user };
}
