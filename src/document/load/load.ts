import type { Row } from '../../db/database.ts';
import { lockByName } from '../../db/named-lock.ts';
import { EMPTY, ident, join, render, type Sql, type SqlValue, sql } from '../../db/sql.ts';
import type { ChildRow, DocField, DocType, DoctypeRegistry, Document } from '../../doctype/doctype.ts';
import { nameKey, nameText } from '../../doctype/numbered.ts';
import { sideColumnsOf } from '../../doctype/standard-fields.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { memo2 } from '../../kernel/memo.ts';
import { TooLarge } from '../../kernel/too-large.ts';
import type { FieldValue } from '../../kernel/value.ts';
import type { Context } from '../contract.ts';
import { type Loaded, newDocument, newRow } from '../document.ts';
import { layoutOf } from '../layout.ts';
import { lockClause } from '../lock.ts';
import { contentRevision, loadVirtual } from '../virtual/virtual-doctype.ts';
import { applyDefaults } from './defaults.ts';

/**
 * Loads a document with its rows in one statement, without a permission check; null when it does not exist. A
 * single that was never saved consists of its defaults, at revision 0.
 */
export async function load(ctx: Context, doctype: DocType, name: string): Promise<Loaded | null> {
  if (doctype.rowsFrom === 'controller') return loadVirtual(ctx, doctype, name);
  const row = await loadRow(ctx, doctype, name);
  if (row) return loaded(ctx.doctypes, doctype, row);
  return doctype.issingle ? unsavedSingle(ctx, doctype) : null;
}

/**
 * The row of a stored document: its columns, `_revision`, and for each table the JSON text of its rows. The
 * row is not of another document than `load` makes.
 */
export function loadRow(
  ctx: Context,
  doctype: DocType,
  name: string,
  lock: ReadLock = 'plain',
): Promise<Row | undefined> {
  const { text, constants } = compiledRead(ctx, doctype, lock);
  return ctx.db.get({ text, values: [...constants, documentKey(doctype, name)] });
}

// Names are stored in NFC, so that two spellings of a name find the same document.
function documentKey(doctype: DocType, name: string): SqlValue {
  return doctype.issingle ? doctype.name : nameKey(doctype, name.normalize('NFC'));
}

/**
 * Loads a document and locks it against changes by other transactions (`remove`: and against new links to it)
 * until this one ends.
 */
export async function lockDocument(
  ctx: Context,
  doctype: DocType,
  name: string,
  lock: 'change' | 'remove',
): Promise<Loaded | null> {
  if (ctx.db.dialect.name === 'sqlite' || doctype.is_virtual) return load(ctx, doctype, name);
  if (doctype.issingle) await lockSingle(ctx, doctype);
  const key = documentKey(doctype, name);
  if (doctype.tables.length === 0) {
    const row = await loadRow(ctx, doctype, name, lock);
    if (row) return loaded(ctx.doctypes, doctype, row);
    return doctype.issingle ? unsavedSingle(ctx, doctype) : null;
  }
  // A statement that waits for a lock sees the new row but the old children: so lock first, then read.
  await ctx.db.get(
    sql`select 1 as "one" from ${ident(doctype.name)} where "name" = ${key}${lockClause(ctx.db.dialect, lock)}`,
  );
  return load(ctx, doctype, name);
}

// Before its first save a single has no row to lock, and two concurrent first saves would both insert it.
function lockSingle(ctx: Context, doctype: DocType): Promise<void> {
  return lockByName(ctx.db, `single ${doctype.name}`);
}

/** "X n not found", the same message for every verb. */
export function notFound(doctype: DocType, name: string): ServiceError {
  return new ServiceError('DoesNotExistError', `${doctype.name} ${name} not found`);
}

interface CompiledRead {
  readonly text: string;
  /** Values of the placeholders before the name. */
  readonly constants: readonly SqlValue[];
}

type ReadLock = 'plain' | 'change' | 'remove';

// By registry, because the text depends on the child doctypes too. A registry belongs to one database.
const compiledReads = memo2((_: DoctypeRegistry, _doctype: DocType) => new Map<ReadLock, CompiledRead>());

function compiledRead(ctx: Context, doctype: DocType, lock: ReadLock): CompiledRead {
  const byLock = compiledReads(ctx.doctypes, doctype);
  let read = byLock.get(lock);
  if (!read) {
    const statement = render(readSql(ctx, doctype, lock), ctx.db.dialect.hole);
    read = { text: statement.text, constants: statement.values.slice(0, -1) };
    byLock.set(lock, read);
  }
  return read;
}

function readSql(ctx: Context, doctype: DocType, lock: ReadLock): Sql {
  const table = ident(doctype.name);
  const columns = layoutOf(doctype).columns.map((column) => sql`${table}.${ident(column)}`);
  // Child rows share their parent's revision, and views have none.
  const revised = !doctype.istable && !doctype.is_virtual;
  columns.push(revised ? sql`${table}."_revision"` : sql`1 as "_revision"`);
  if (sideColumnsOf(doctype).length > 0) columns.push(sql`${sideSql(ctx, doctype)} as "_side"`);
  for (const field of doctype.tables) {
    columns.push(sql`${childrenSql(ctx, doctype, field)} as ${ident(field.fieldname)}`);
  }
  const clause = lock === 'plain' ? EMPTY : lockClause(ctx.db.dialect, lock);
  return sql`select ${join(columns)} from ${table} where ${table}."name" = ${null}${clause}`;
}

// Few documents have tags, comments and the like, so all are one column that is mostly null.
function sideSql(ctx: Context, doctype: DocType): Sql {
  const marks = sideColumnsOf(doctype).map(({ fieldname }) => ({
    key: fieldname,
    value: sql`${ident(doctype.name)}.${ident(fieldname)}`,
  }));
  const any = join(marks.map(({ value }) => value));
  return sql`case when coalesce(${any}) is not null then ${ctx.db.dialect.jsonObject(marks)} end`;
}

/** The side columns of a row of `loadRow`. */
export function sideOf({ _side: marks }: Row): Row {
  return typeof marks === 'string' ? (JSON.parse(marks) as Row) : NO_MARKS;
}

const NO_MARKS: Row = {};

function putSide(doc: Document, marks: Row): void {
  for (const [fieldname, value] of Object.entries(marks)) if (value !== null) doc[fieldname] = value;
}

function childrenSql(ctx: Context, doctype: DocType, field: DocField): Sql {
  const { dialect } = ctx.db;
  const child = ctx.doctypes.get(field.options);
  const table = ident(child.name);
  const values = child.columns.map(({ fieldname, kind }) => {
    const column = sql`${table}.${ident(fieldname)}`;
    const isText = kind === 'text' || kind === 'integer' || kind === 'real';
    return isText ? column : dialect.asText(column, kind);
  });
  return dialect.jsonArray(
    sql`select ${dialect.jsonList(values)} as "json" from ${table}
        where ${table}."parent" = ${nameText(doctype, sql`${ident(doctype.name)}."name"`)} and ${table}."parenttype" = ${doctype.name}
        and ${table}."parentfield" = ${field.fieldname} order by ${table}."idx"`,
  );
}

function loaded(registry: DoctypeRegistry, doctype: DocType, row: Row): Loaded {
  // Assigned in the order of `newDocument`, so that loaded and new documents share a shape.
  const doc: Document = {
    doctype: doctype.name,
    name: String(row['name']),
    owner: row['owner'] as string,
    creation: row['creation'] as string,
    modified: row['modified'] as string,
    modified_by: row['modified_by'] as string,
    docstatus: row['docstatus'] as number,
    idx: row['idx'] as number,
  };
  if (doctype.istable) {
    for (const key of ['parent', 'parentfield', 'parenttype']) doc[key] = row[key] ?? null;
  }
  for (const { fieldname } of layoutOf(doctype).fields) doc[fieldname] = row[fieldname] ?? null;
  putSide(doc, sideOf(row));
  for (const { fieldname, options } of doctype.tables) {
    doc[fieldname] = childRows(registry.get(options), row[fieldname]);
  }
  // Content that changes without a save, such as the log of deliveries, must not appear unchanged.
  const revision = doctype.rowsFrom === 'view' ? contentRevision(doc) : (row['_revision'] as number);
  return { doc, revision };
}

/** The values of a table's rows in a row of `loadRow`, in the order of the child doctype's columns. */
export function parseRows(json: unknown): FieldValue[][] {
  if (typeof json !== 'string') throw new TooLarge('The rows of this document are too large in total');
  return json === '[]' ? [] : (JSON.parse(json) as FieldValue[][]);
}

function childRows(child: DocType, json: unknown): ChildRow[] {
  const { columns } = layoutOf(child);
  const empty = newRow(child);
  return parseRows(json).map((values) => {
    // Stored and new rows share a shape.
    const row: Record<string, FieldValue> = { ...empty };
    for (let place = 0; place < columns.length; place += 1)
      row[String(columns[place])] = values[place] ?? null;
    return row as ChildRow;
  });
}

function unsavedSingle(ctx: Context, doctype: DocType): Loaded {
  const doc = newDocument(doctype);
  doc.name = doctype.name;
  doc.owner = 'Administrator';
  doc.modified_by = 'Administrator';
  applyDefaults(ctx, doctype, doc);
  return { doc, revision: 0 };
}
