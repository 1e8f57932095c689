import { mayLearn } from '../../access/field-level.ts';
import { judge } from '../../access/judge.ts';
import { mayBeShared, reachOf } from '../../access/permission.ts';
import { type Restriction, type RowRule, ruleOf } from '../../access/row-rule.ts';
import type { CurrentUser } from '../../access/user.ts';
import { sql } from '../../db/sql.ts';
import type { DocPerm, DocType, Document, Right } from '../../doctype/doctype.ts';
import type { Context } from '../contract.ts';
import { load } from '../load/load.ts';
import { narrows, refusingHook } from '../load/narrowing.ts';
import { levelSteps, restrictionStep, roleSteps, type Step, shareStep, stateSteps } from './explain-steps.ts';

/** Whether a user has a right, and the rule that decided. */
export interface Explanation {
  readonly allowed: boolean;
  readonly decided_by:
    | 'Administrator'
    | 'DocPerm'
    | 'Custom DocPerm'
    | 'DocShare'
    | 'User Permission'
    | 'hasPermission'
    | 'rowFilter'
    | 'missing';
  /** The rule in words. */
  readonly reason: string;
  /** Other rules for documents of the doctype: without a name, those that restrict the right. */
  readonly notes: readonly string[];
  /** Every rule that took part, in order; the last one that is not about fields or states decided. */
  readonly steps: readonly Step[];
}

/** The question of an explanation. */
interface Asked {
  readonly ctx: Context;
  readonly user: CurrentUser;
  readonly doctype: DocType;
  readonly right: Right;
  readonly by: 'DocPerm' | 'Custom DocPerm';
  readonly rule: RowRule | null;
  /** The permission rows that give the right to the user. */
  readonly rows: readonly DocPerm[];
}

/**
 * Explains why a user has or lacks a right on a document, or on any document of the doctype. The answer
 * contains values of documents: show it only to users who may know them.
 * @throws ServiceError DoesNotExistError for an unknown doctype
 */
export async function explainPermission(
  ctx: Context,
  user: CurrentUser,
  doctypeName: string,
  right: Right,
  name: string | null,
): Promise<Explanation> {
  const doctype = ctx.doctypes.get(doctypeName);
  if (user.isAdministrator) {
    const steps: Step[] = [{ rule: 'administrator', outcome: 'allows' }];
    const loaded = name === null ? null : await load(ctx, doctype, name);
    if (loaded) steps.push(...stateSteps(loaded.doc, right));
    return { ...yes('Administrator', `${user.name} passes every check`), steps };
  }
  if (doctype.istable) {
    const reason = `Rows of ${doctype.name} have the permissions of their parent`;
    const allowed = reachOf(user, doctype, right) !== 'none';
    return { allowed, decided_by: 'DocPerm', reason, notes: [], steps: [CHILD_TABLE] };
  }
  const by = await source(ctx, doctype);
  const rows = doctype.permissions.filter(
    (row) => row.permlevel === 0 && user.roles.has(row.role) && gives(row, right),
  );
  const asked: Asked = {
    ctx,
    user,
    doctype,
    right,
    by,
    rows,
    rule: ruleOf(user, doctype, right, ctx.doctypes),
  };
  const steps = roleSteps(user, doctype, rows, right, by === 'Custom DocPerm');
  if (rows.length === 0 && !mayBeShared(user, doctype, right)) {
    const reason = `No ${by} of ${doctype.name} gives ${right} to a role of ${user.name}, and nothing is shared`;
    return { ...no(by, reason), steps };
  }
  return name === null ? explainAll(asked, steps) : explainOne(asked, steps, name);
}

const CHILD_TABLE: Step = { rule: 'child_table', outcome: 'limits' };

/** About any document: the rule that gives the right, and what limits it. */
async function explainAll(asked: Asked, roles: readonly Step[]): Promise<Explanation> {
  const { ctx, user, doctype, right, rule } = asked;
  const steps = [...roles];
  for (const one of rule?.restrictions ?? []) steps.push(await restrictionStep(ctx, user, doctype, one));
  if (mayBeShared(user, doctype, right)) steps.push(await shareStep(ctx, user, doctype, right, null));
  if (narrows({ ...ctx, user }, doctype)) steps.push({ rule: 'controller', outcome: 'limits' });
  return { ...givenBy(asked), steps: [...steps, ...levelSteps(user, doctype, right)] };
}

/** About one document. */
async function explainOne(asked: Asked, roles: readonly Step[], name: string): Promise<Explanation> {
  const { ctx, user, doctype, right, rule, by, rows } = asked;
  const steps = [...roles];
  const loaded = await load(ctx, doctype, name);
  if (!loaded) {
    steps.push({ rule: 'missing', outcome: 'refuses' });
    return { ...no('missing', `There is no ${doctype.name} ${name}`), steps };
  }
  const { doc } = loaded;
  const verdict = rule ? await judge(ctx.db, rule, doc) : ({ allowed: true, by: 'role' } as const);
  if (!verdict.allowed && verdict.restriction) {
    const { restriction, value } = verdict;
    const says = maySay(ctx, doctype, restriction);
    steps.push(await restrictionStep(ctx, user, doctype, restriction, { value: says ? value : null }));
    return { ...no('User Permission', brokenText(restriction, value, says)), steps };
  }
  if (!verdict.allowed) {
    const reason = `${givenBy(asked).reason}, but ${doctype.name} ${name} belongs to ${doc.owner}`;
    steps.push({ rule: 'owner', outcome: 'refuses', owner: doc.owner });
    return { ...no(by, reason), steps };
  }
  if (verdict.by === 'owner') steps.push({ rule: 'owner', outcome: 'allows', owner: doc.owner });
  if (verdict.by === 'share') steps.push(await shareStep(ctx, user, doctype, right, doc.name));
  else for (const one of rule?.restrictions ?? []) steps.push(await passed(asked, one));
  const hook = await refusal(asked, doc);
  if (hook) {
    steps.push({ rule: 'controller', outcome: 'refuses', hook });
    return { ...no(hook, `A controller's ${hook} refuses it`), steps };
  }
  steps.push(...stateSteps(doc, right), ...levelSteps(user, doctype, right));
  if (verdict.by === 'share') return { ...yes('DocShare', shareText(right)), steps };
  const own = rows.find((one) => one.if_owner);
  const found = verdict.by === 'owner' && own ? yes(by, rowText(own, by, right)) : givenBy(asked);
  return { ...found, steps };
}

async function passed({ ctx, user, doctype }: Asked, restriction: Restriction): Promise<Step> {
  return { ...(await restrictionStep(ctx, user, doctype, restriction)), outcome: 'allows' };
}

async function refusal({ ctx, user, doctype, right }: Asked, doc: Document) {
  return narrows(ctx, doctype) ? refusingHook({ ...ctx, user }, doctype, doc, right) : null;
}

type Found = Omit<Explanation, 'steps'>;

/** The rule that gives the right on some documents. */
function givenBy({ ctx, user, doctype, right, rows, rule, by }: Asked): Found {
  const notes = notesOf({ ...ctx, user }, doctype, right, rows, rule);
  const [row] = rows.toSorted((a, b) => Number(a.if_owner) - Number(b.if_owner));
  return row ? yes(by, rowText(row, by, right), notes) : yes('DocShare', shareText(right), notes);
}

function yes(decided_by: Explanation['decided_by'], reason: string, notes: readonly string[] = []): Found {
  return { allowed: true, decided_by, reason, notes };
}

function no(decided_by: Explanation['decided_by'], reason: string): Found {
  return { allowed: false, decided_by, reason, notes: [] };
}
async function source(ctx: Context, doctype: DocType): Promise<'DocPerm' | 'Custom DocPerm'> {
  const custom = await ctx.db.get(
    sql`select 1 as "one" from "Custom DocPerm" where "parent" = ${doctype.name} limit 1`,
  );
  return custom ? 'Custom DocPerm' : 'DocPerm';
}

function gives({ rights }: DocPerm, right: Right): boolean {
  return rights.has(right) || (right === 'select' && rights.has('read'));
}

function rowText({ role, if_owner }: DocPerm, by: string, right: Right): string {
  return `A ${by} gives ${right} to ${role}${if_owner ? ' on documents of their own' : ''}`;
}

function shareText(right: Right): string {
  return `A DocShare gives ${right} on what is shared`;
}

function notesOf(
  ctx: Context,
  doctype: DocType,
  right: Right,
  rows: readonly DocPerm[],
  rule: RowRule | null,
): string[] {
  const notes = (rule?.restrictions ?? []).map(
    (one) => `User Permissions: ${fieldText(one)} is one of ${valuesText(one)}`,
  );
  if (rows.length > 0 && mayBeShared(ctx.user, doctype, right)) notes.push(shareText(right));
  if (narrows(ctx, doctype)) notes.push('A controller decides about each document');
  return notes;
}

function fieldText({ table, fieldname }: Restriction): string {
  return table ? `${fieldname} in every row of ${table.fieldname}` : fieldname;
}

function valuesText({ values, roots, orEmpty, fieldname }: Restriction): string {
  const shown = values.slice(0, 5).join(', ') + (values.length > 5 ? ' …' : '');
  const below = roots.length > 0 ? ', or below' : '';
  return `${shown}${below}${orEmpty && fieldname !== 'name' ? ', or empty' : ''}`;
}

/** True when the caller may know the value of the restricted field. */
function maySay(ctx: Context, doctype: DocType, { table, fieldname }: Restriction): boolean {
  if (!table) return mayLearn(ctx.user, doctype, fieldname);
  const rowsOf = { parent: doctype, table: table.fieldname };
  return mayLearn(ctx.user, ctx.doctypes.get(table.options), fieldname, rowsOf);
}

function brokenText(restriction: Restriction, value: string | null, says: boolean): string {
  const held = !says ? 'holds something else' : value === null ? 'is empty' : `is ${value}`;
  return `${fieldText(restriction)} ${held}; User Permissions of ${restriction.allow} ask for ${valuesText(restriction)}`;
}
