import { mayLearn, type RowsOf } from '../../access/field-level.ts';
import { EMPTY, ident, join, type Sql, sql } from '../../db/sql.ts';
import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { nameKey } from '../../doctype/numbered.ts';
import { type ErrorPlace, type ErrorType, ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Fields, isRecord } from '../../kernel/value.ts';
import { type Change, touchedTables } from '../change.ts';
import { storedRows } from '../children.ts';
import type { Context } from '../contract.ts';
import { rowsOf, scalarOf } from '../document.ts';
import { lockClause } from '../lock.ts';
import { statementText, withValues } from '../statements.ts';
import { loadVirtual } from '../virtual/virtual-doctype.ts';
import { linkable } from './link-reach.ts';

/** Names per statement. */
const BATCH = 512;

/** The place of a name, for the error. */
interface Mention {
  readonly place: string;
  readonly at: ErrorPlace;
  readonly name: string;
  /** An amendment links to a cancelled document, and must. */
  readonly amends: boolean;
  /**
   * The client chose it, so it must be in the user's reach. Defaults, copied and stored values need not be.
   */
  readonly chosen: 'no' | 'yes' | 'past User Permissions';
  /** The user may know the name: they sent it, or may read the field. */
  readonly isKnown: boolean;
}

/** A document or row whose links are checked. */
interface Holder {
  readonly doctype: DocType;
  readonly values: Document | ChildRow;
  /** The stored state: links that did not change are not checked. */
  readonly stored: Document | ChildRow | null;
  /** The rows stored in its place, or in the same table. */
  readonly known: readonly (Document | ChildRow)[];
  /** The client's values for it. */
  readonly input: Fields;
  readonly place: string;
  /** For a row, which does not know its table before it is stored. */
  readonly at: Pick<ErrorPlace, 'table' | 'row'>;
  /** For a row. */
  readonly rowsOf?: RowsOf;
}

/** Names to look up, by target doctype, with the first place of each. */
type Wanted = Map<string, Map<string, Mention>>;

/**
 * Checks that every Link and Dynamic Link set by this change names an existing document, which stays until
 * the transaction ends. A name chosen by the client must be in the user's reach; otherwise it is reported as
 * missing. Stored links that did not change are not checked, except on submission: their targets may have
 * been cancelled.
 * @throws ServiceError LinkValidationError naming all that are missing, CancelledLinkError; only the label of
 * a field that the user may not read
 */
export async function checkLinks(ctx: Context, change: Change): Promise<void> {
  const { doctype, doc } = change;
  const before = change.action === 'submit' ? null : change.before;
  const wanted: Wanted = new Map();
  const missing: Mention[] = [];
  const known = change.before ? [change.before] : [];
  const self = { doctype, values: doc, stored: before, known, input: change.input, place: '', at: {} };
  collect(ctx, wanted, doc, self);
  for (const table of touchedTables(change)) {
    const child = ctx.doctypes.get(table.options);
    if (child.links.length === 0 && child.dynamicLinks.length === 0) continue;
    const stored = storedRows(before, table.fieldname);
    const knownRows = change.before ? rowsOf(change.before, table.fieldname) : [];
    const sent: unknown = Object.hasOwn(change.input, table.fieldname) ? change.input[table.fieldname] : null;
    for (const [index, row] of rowsOf(doc, table.fieldname).entries()) {
      const input: unknown = Array.isArray(sent) ? sent[index] : null;
      collect(ctx, wanted, doc, {
        doctype: child,
        values: row,
        stored: stored.get(row.name) ?? null,
        known: knownRows,
        input: isRecord(input) ? input : {},
        place: `Row #${index + 1}: `,
        at: { table: table.fieldname, row: index + 1 },
        rowsOf: { parent: doctype, table: table.fieldname },
      });
    }
  }
  const cancelled: Mention[] = [];
  for (const [targetName, mentions] of wanted) {
    const target = ctx.doctypes.find(targetName);
    // Reported in its order, like a missing or hidden document.
    if (!target || target.issingle) {
      missing.push(...mentions.values());
      continue;
    }
    const judged = await judge(ctx, change, target, mentions);
    missing.push(...judged.missing);
    cancelled.push(...judged.cancelled);
  }
  if (missing.length > 0) {
    throw refused('LinkValidationError', 'Could not find', missing);
  }
  if (cancelled.length > 0) {
    throw refused('CancelledLinkError', 'Cannot link cancelled document:', cancelled);
  }
}

function collect(ctx: Context, wanted: Wanted, self: Document, holder: Holder): void {
  const { doctype, values, stored, place } = holder;
  for (const field of doctype.links) want(field.options, field, stored, null);
  for (const field of doctype.dynamicLinks) {
    const value = scalarOf(values, field.fieldname);
    if (value === null || value === '') continue;
    const target = scalarOf(values, field.options);
    if (typeof target !== 'string' || target === '') {
      const label = doctype.fieldByName.get(field.options)?.label ?? field.options;
      throw new ServiceError('ValidationError', `${place}${label} must be set first`, {
        places: [{ fieldname: field.options, ...holder.at }],
      });
    }
    const retargeted = stored !== null && scalarOf(stored, field.options) !== target;
    want(target, field, retargeted ? null : stored, field.options);
  }

  function want(
    targetName: string,
    field: DocField,
    was: Document | ChildRow | null,
    targetField: string | null,
  ): void {
    const name = scalarOf(values, field.fieldname);
    if (typeof name !== 'string' || name === '') return;
    if (was && scalarOf(was, field.fieldname) === name) return;
    // A restored document may link to itself before it exists.
    if (targetName === self.doctype && name === self.name) return;
    const amends = field.fieldname === 'amended_from';
    const chosen = isChosen(holder, field, name, targetField)
      ? field.ignore_user_permissions
        ? 'past User Permissions'
        : 'yes'
      : 'no';
    const at = { fieldname: field.fieldname, ...holder.at };
    const isKnown = chosen !== 'no' || mayLearn(ctx.user, doctype, field.fieldname, holder.rowsOf);
    const mention: Mention = { place: `${place}${field.label}`, at, name, amends, chosen, isKnown };
    const single = ctx.doctypes.find(targetName)?.issingle ? targetName : null;
    if (single === name) return;
    const names = wanted.get(targetName) ?? new Map<string, Mention>();
    wanted.set(targetName, names);
    const other = names.get(name);
    // If a name has several uses, the strictest decides.
    if (!other || other.amends || (STRICTNESS[chosen] > STRICTNESS[other.chosen] && !amends)) {
      names.set(name, mention);
    }
  }
}

const STRICTNESS: Readonly<Record<Mention['chosen'], number>> = { no: 0, 'past User Permissions': 1, yes: 2 };

function isChosen(
  { known, input }: Holder,
  { fieldname }: DocField,
  name: string,
  targetField: string | null,
): boolean {
  const sends = (key: string) => Object.hasOwn(input, key);
  if (!sends(fieldname) && !(targetField && sends(targetField))) return false;
  // Clients send back the values they were shown, sometimes without names of rows.
  return !known.some(
    (one) =>
      scalarOf(one, fieldname) === name &&
      (targetField === null ||
        scalarOf(one, targetField) === (input[targetField] ?? scalarOf(one, targetField))),
  );
}

async function judge(
  ctx: Context,
  change: Change,
  target: DocType,
  mentions: ReadonlyMap<string, Mention>,
): Promise<{ missing: Mention[]; cancelled: Mention[] }> {
  const found = new Map<string, number>();
  const checksCancelled = change.doctype.is_submittable && target.is_submittable;
  // Nobody may delete or rename a target before the commit, nor cancel the target of a submitted document.
  const lock = checksCancelled && change.doc.docstatus === 1 ? 'change' : 'stay';
  // Sorted, so that transactions that lock several rows cannot deadlock.
  const names = [...mentions.keys()].sort();
  if (target.rowsFrom === 'controller') {
    for (const name of names) {
      const there = await loadVirtual(ctx, target, name);
      if (there) found.set(name, there.doc.docstatus);
    }
  }
  const isTable = target.rowsFrom !== 'controller';
  for (let start = 0; isTable && start < names.length; start += BATCH) {
    const rows = await ctx.db.all(lookUp(ctx, target, names.slice(start, start + BATCH), lock));
    for (const row of rows) found.set(String(row['name']), Number(row['docstatus']));
  }
  const hidden = await outOfReach(ctx, target, mentions);
  const missing: Mention[] = [];
  const cancelled: Mention[] = [];
  for (const [name, mention] of mentions) {
    const docstatus = hidden.has(name) ? undefined : found.get(name);
    if (docstatus === undefined) missing.push(mention);
    else if (docstatus === 2 && checksCancelled && !mention.amends) cancelled.push(mention);
  }
  return { missing, cancelled };
}

/** The names chosen by the client that the user may not link to. */
async function outOfReach(
  ctx: Context,
  target: DocType,
  mentions: ReadonlyMap<string, Mention>,
): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for (const chosen of ['yes', 'past User Permissions'] as const) {
    const names = [...mentions.values()].flatMap((mention) =>
      mention.chosen === chosen ? [mention.name] : [],
    );
    for (let start = 0; start < names.length; start += BATCH) {
      const some = names.slice(start, start + BATCH);
      const reach = await linkable(ctx, target, some, chosen !== 'yes');
      if (reach !== 'all') for (const name of some) if (!reach.has(name)) hidden.add(name);
    }
  }
  return hidden;
}

/** Pads names to a power of two by repeating the last, so that few statement texts serve all sizes. */
function lookUp(ctx: Context, target: DocType, names: readonly string[], kind: 'stay' | 'change') {
  const size = 2 ** Math.ceil(Math.log2(names.length));
  const padded = [...names];
  while (padded.length < size) padded.push(names.at(-1) ?? '');
  const text = statementText(target, ctx.db.dialect, `exists ${kind} ${size}`, () => {
    const holes: Sql[] = padded.map(() => sql`${null}`);
    const lock = target.is_virtual ? EMPTY : lockClause(ctx.db.dialect, kind);
    // A single row is locked when found; several rows in the order in which they are found.
    const order = size > 1 && kind === 'change' ? sql` order by "name"` : EMPTY;
    return sql`select "name", "docstatus" from ${ident(target.name)} where "name" in (${join(holes)})${order}${lock}`;
  });
  return withValues(
    text,
    padded.map((name) => nameKey(target, name)),
  );
}

// One message for all, and one for each.
function refused(type: ErrorType, problem: string, mentions: readonly Mention[]): ServiceError {
  const named = mentions.slice(0, LIMITS.problemsNamed);
  const texts = named.map(({ place, name, isKnown }) => (isKnown ? `${place}: ${name}` : place));
  return new ServiceError(type, `${problem} ${texts.join(', ')}`, {
    messages: texts.map((text) => `${problem} ${text}`),
    places: named.map((mention) => mention.at),
  });
}
