import { loadUser } from '../../access/load-user.ts';
import type { ValuesOf } from '../../doctype/arguments.ts';
import type { Context, Method } from '../../document/contract.ts';
import { hasRight } from '../../document/load/rights-on.ts';
import { defineMethod } from '../../document/verbs/method.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { shareReading } from '../share.ts';
import { type AutomaticComment, commentAutomatically, escapeHtml } from './comment.ts';
import { fewDocuments, type Marked, openMarked, readMarked, usersIn, usersText, writeSide } from './side.ts';

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

const NAMES = { type: 'Data', list: true, required: true, description: 'Names of documents' } as const;

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
  'frappe.desk.form.assign_to.get': defineMethod({
    http: ['GET', 'POST'],
    description: 'List the assignments of a document',
    args: ASSIGNED,
    async run(ctx, { doctype, name }) {
      return usersIn(await readMarked(ctx, doctype, name), '_assign').map(assignmentOf);
    },
  }),
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
    run: (ctx, { doctype, name, assign_to }) => unassign(ctx, doctype, name, (user) => user === assign_to),
  }),
  'frappe.desk.form.assign_to.close': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Complete your own assignment',
    args: REMOVED,
    async run(ctx, { doctype, name, assign_to }) {
      if (assign_to !== ctx.user.name)
        throw new ServiceError('PermissionError', 'Only the assignee can complete an assignment');
      return unassign(ctx, doctype, name, (user) => user === assign_to, 'completed');
    },
  }),
  'frappe.desk.form.assign_to.add_multiple': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Assign several documents to users: all or none',
    args: { ...ADDED, ...OF_TODO, name: NAMES },
    async run(ctx, { name: names, ...args }) {
      for (const name of fewDocuments(names)) await assign(ctx, { ...args, name });
      return null;
    },
  }),
  'frappe.desk.form.assign_to.remove_multiple': defineMethod({
    http: ['POST', 'PUT'],
    description: 'Remove all assignments of several documents: all or none',
    args: { doctype: ASSIGNED.doctype, names: NAMES },
    async run(ctx, { doctype, names }) {
      for (const name of fewDocuments(names)) await unassign(ctx, doctype, name, () => true);
      return null;
    },
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

async function unassign(
  ctx: Context,
  doctype: string,
  name: string,
  isLeaving: (user: string) => boolean,
  verb: 'removed' | 'completed' = 'removed',
): Promise<Assignment[]> {
  const marked = await openMarked(ctx, doctype, name, 'read');
  const stored = usersIn(marked, '_assign');
  const users = stored.filter((user) => !isLeaving(user));
  if (users.length < stored.length) await writeSide(ctx, marked, '_assign', usersText(users));
  for (const user of stored.filter(isLeaving)) {
    const html =
      user === ctx.user.name
        ? `${bold(user)} ${verb} their assignment`
        : `assignment of ${bold(user)} removed by ${bold(ctx.user.name)}`;
    await comment(ctx, marked, 'Assignment Completed', html);
  }
  return users.map(assignmentOf);
}

/**
 * Users who may not read the document get a share, if the acting user may share it. Uses the same message for a
 * missing user: the right to assign does not include the right to know who has an account.
 */
async function requireAssignable(ctx: Context, { doctype, doc }: Marked, name: string): Promise<void> {
  const user = await loadUser(ctx.db, name, ctx.site.settings.strictUserPermissions);
  if (user && !user.isGuest) {
    if (await hasRight({ ...ctx, user }, doctype, 'read', doc)) return;
    if (await hasRight(ctx, doctype, 'share', doc)) return shareReading(ctx, doc, name);
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
