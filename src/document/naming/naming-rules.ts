import { contended } from '../../db/contended.ts';
import type { Connection } from '../../db/database.ts';
import { ident, sql } from '../../db/sql.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Context, Site } from '../contract.ts';
import { scalarOf } from '../document.ts';
import { type NamePart, namePattern, parsePrefix, renderName } from './series.ts';

/** An enabled Document Naming Rule. */
interface NamingRule {
  readonly name: string;
  readonly conditions: readonly Condition[];
  readonly prefix: string;
  readonly digits: number;
}

interface Condition {
  readonly field: string;
  readonly operator: string;
  readonly value: string;
}

type ByDoctype = ReadonlyMap<string, readonly NamingRule[]>;

/** The doctype of the rules, and of their rows of conditions. */
export const NAMING_RULE = 'Document Naming Rule';
const CONDITION = 'Document Naming Rule Condition';

/** Changes by another process take effect within this time; microseconds. */
const MAX_AGE = 1_000_000;

interface CachedRules {
  readonly rules: ByDoctype;
  readonly at: number;
}

// By site; a site without rules costs one query a second.
const known = new WeakMap<Site, CachedRules>();
/** Grows whenever rules are dropped: rules that were being read then are used once, and not kept. */
let drops = 0;

/**
 * Names a new document by the first Document Naming Rule that fits, by priority; takes the next number of
 * that rule's counter. Null when none fits.
 */
export async function nameByRule(ctx: Context, doctype: DocType, doc: Document): Promise<string | null> {
  for (const rule of await rulesOf(ctx, doctype)) {
    if (!rule.conditions.every((condition) => fits(doctype, doc, condition))) continue;
    const number = await nextNumber(ctx.db, rule);
    if (number === null) continue;
    const prefix = await renderName(ctx, doc, prefixParts(rule, doctype));
    return prefix + String(number).padStart(rule.digits, '0');
  }
  return null;
}

/** Returns a rule's last number when the document with that number is deleted. */
export async function revertRule(ctx: Context, doctype: DocType, doc: Document): Promise<void> {
  for (const rule of await rulesOf(ctx, doctype)) {
    const number = namePattern([...prefixParts(rule, doctype), { digits: rule.digits }], doc).exec(doc.name);
    if (!number) continue;
    await ctx.db.run(
      sql`update ${ident(NAMING_RULE)} set "counter" = "counter" - 1
          where "name" = ${rule.name} and "counter" = ${Number(number[2])}`,
    );
    return;
  }
}

/** Moves the counter of each rule on to the highest number among the names of these documents. */
export async function raiseRules(ctx: Context, doctype: DocType, docs: readonly Document[]): Promise<void> {
  for (const rule of await rulesOf(ctx, doctype)) {
    const parts = [...prefixParts(rule, doctype), { digits: rule.digits }];
    const numbers = docs.map((doc) => Number(namePattern(parts, doc).exec(doc.name)?.[2] ?? 0));
    const highest = numbers.reduce((most, number) => Math.max(most, number), 0);
    if (highest === 0) continue;
    await ctx.db.run(
      sql`update ${ident(NAMING_RULE)} set "counter" = ${highest}
          where "name" = ${rule.name} and "counter" < ${highest}`,
    );
  }
}

/** Drops the cached rules of a site. */
export function forgetNamingRules(site: Site): void {
  drops += 1;
  known.delete(site);
}

async function rulesOf(ctx: Context, doctype: DocType): Promise<readonly NamingRule[]> {
  if (!ctx.doctypes.find(NAMING_RULE)) return NONE;
  const now = ctx.site.clock.micros();
  const remembered = known.get(ctx.site);
  // A change of this transaction may still be rolled back, so only this transaction uses it.
  const changedHere = ctx.events.some((event) => event.doctype.name === NAMING_RULE);
  if (remembered && !changedHere && now - remembered.at < MAX_AGE) {
    return remembered.rules.get(doctype.name) ?? NONE;
  }
  const before = drops;
  const rules = await loadRules(ctx.db);
  if (!changedHere && drops === before) {
    known.set(ctx.site, { rules, at: now });
    // Transactions that share a commit see each other's rows, and fail together.
    ctx.onRollback(() => {
      known.delete(ctx.site);
    });
  }
  return rules.get(doctype.name) ?? NONE;
}

const NONE: readonly NamingRule[] = [];

async function loadRules(connection: Connection): Promise<ByDoctype> {
  const rows = await connection.all(
    sql`select "name", "document_type", "prefix", "prefix_digits" from ${ident(NAMING_RULE)}
        where "disabled" = 0 order by "priority" desc, "creation", "name"`,
  );
  const byDoctype = new Map<string, NamingRule[]>();
  if (rows.length === 0) return byDoctype;
  const conditions = await connection.all(
    sql`select "parent", "field", "condition", "value" from ${ident(CONDITION)}
        where "parenttype" = ${NAMING_RULE} order by "parent", "idx"`,
  );
  for (const row of rows) {
    const list = byDoctype.get(String(row['document_type'])) ?? [];
    byDoctype.set(String(row['document_type']), list);
    list.push({
      name: String(row['name']),
      prefix: String(row['prefix'] ?? ''),
      digits: Number(row['prefix_digits']),
      conditions: conditions
        .filter((condition) => condition['parent'] === row['name'])
        .map((condition) => ({
          field: String(condition['field'] ?? ''),
          operator: String(condition['condition'] ?? ''),
          value: String(condition['value'] ?? ''),
        })),
    });
  }
  return byDoctype;
}

function prefixParts(rule: NamingRule, doctype: DocType): NamePart[] {
  return parsePrefix(rule.prefix, doctype);
}

/**
 * Null when the rule was deleted. The row stays locked until the transaction ends, so numbers have no gaps.
 */
async function nextNumber(connection: Connection, rule: NamingRule): Promise<number | null> {
  await connection.takeTurn?.(`naming rule ${rule.name}`);
  const row = await connection.get(
    sql`update ${ident(NAMING_RULE)} set "counter" = "counter" + 1 where "name" = ${rule.name}
        returning "counter", ${contended(connection.dialect)}`,
  );
  return row ? Number(row['counter']) : null;
}

function fits(doctype: DocType, doc: Document, { field, operator, value }: Condition): boolean {
  const kind = doctype.columnByName.get(field)?.kind;
  const isNumber = kind === 'integer' || kind === 'real';
  const held = scalarOf(doc, field);
  const order = isNumber ? Number(held ?? 0) - Number(value) : compareText(String(held ?? ''), value);
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '>=':
      return order >= 0;
    case '<=':
      return order <= 0;
    default:
      throw new ServiceError('ValidationError', `${NAMING_RULE}: ${operator} is not a condition`);
  }
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
