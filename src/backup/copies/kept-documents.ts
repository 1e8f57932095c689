import { isMask, loadSecret } from '../../access/secret.ts';
import { DamagedDatabase } from '../../db/damaged.ts';
import type { Connection, Row } from '../../db/database.ts';
import { describeTable } from '../../db/describe.ts';
import type { ActualTable } from '../../db/dialect.ts';
import { ident, join, type Sql, sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import type { Site } from '../../document/contract.ts';
import { ServiceError } from '../../kernel/errors.ts';

/** A document as it is in a restored database. */
export interface KeptDocument {
  readonly name: string;
  readonly docstatus: number;
  /** By fieldname, with rows; passwords in clear text. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly files: readonly KeptFile[];
}

/** A File document that is attached to it. */
export interface KeptFile {
  readonly url: string;
  readonly fileName: string;
  readonly isPrivate: boolean;
  /** The field that it is attached to; ''. */
  readonly field: string;
  /** Of its content; null for an external link. */
  readonly sha256: string | null;
}

interface Table {
  readonly fieldname: string;
  readonly child: string;
}

/**
 * Reads the documents of one doctype from a restored database, for the fields that the live doctype has. The tables
 * may be those of another definition, and of another version.
 */
export class KeptDocuments {
  readonly doctype: DocType;
  /** Fields with values that the live doctype does not have, of the documents read so far. */
  readonly leftOut = new Set<string>();
  /** Passwords that could not be decrypted. */
  readonly unreadable = new Set<string>();
  readonly #site: Pick<Site, 'doctypes' | 'keys'>;
  readonly #db: Connection;
  readonly #table: ActualTable;
  readonly #tables: readonly Table[];

  private constructor(
    site: Pick<Site, 'doctypes' | 'keys'>,
    db: Connection,
    doctype: DocType,
    table: ActualTable,
    tables: readonly Table[],
  ) {
    this.#site = site;
    this.#db = db;
    this.doctype = doctype;
    this.#table = table;
    this.#tables = tables;
  }

  /** @throws ServiceError DoesNotExistError when the backup does not have the doctype */
  static async open(
    site: Pick<Site, 'doctypes' | 'keys'>,
    db: Connection,
    doctype: DocType,
  ): Promise<KeptDocuments> {
    const table = await describeTable(db, doctype.name);
    if (!table) throw new ServiceError('DoesNotExistError', `The backup has no doctype ${doctype.name}`);
    return new KeptDocuments(site, db, doctype, table, await tablesOf(db, doctype));
  }

  /** The names of at most `most` documents: those of a tree from its root, all others as they were created. */
  async names(most: number): Promise<string[]> {
    const first = this.doctype.is_tree && this.#has('lft') ? sql`"lft"` : sql`"creation"`;
    const rows = await this.#db.all(
      sql`select "name" from ${ident(this.doctype.name)} order by ${first}, "name" limit ${most}`,
    );
    return rows.map(({ name }) => String(name));
  }

  /** Null when the backup has no document of this name. */
  async read(name: string): Promise<KeptDocument | null> {
    const isNumbered = this.#table.columns.some((one) => one.name === 'name' && one.kind === 'integer');
    const key = name.normalize('NFC');
    if (isNumbered && !/^\d{1,15}$/.test(key)) return null;
    const row = await this.#db.get(
      sql`select ${columnsOf(this.#table)} from ${ident(this.doctype.name)}
        where "name" = ${isNumbered ? Number(key) : key}`,
    );
    if (!row) return null;
    const values = await this.#valuesOf(this.doctype, row, '');
    for (const { fieldname, child } of this.#tables) {
      const rows = await this.#rows(child, key, fieldname);
      const live = this.doctype.tables.find((one) => one.fieldname === fieldname);
      if (!live) {
        if (rows.length > 0) this.leftOut.add(fieldname);
        continue;
      }
      const holder = this.#site.doctypes.get(live.options);
      const read: Record<string, unknown>[] = [];
      // A row gets a new name, because the document may still have this one.
      for (const one of rows)
        read.push({ ...(await this.#valuesOf(holder, one, `${fieldname}.`)), name: '' });
      values[fieldname] = read;
    }
    return { name: key, docstatus: Number(row['docstatus']), values, files: await this.#files(key) };
  }

  #has(column: string): boolean {
    return this.#table.columns.some(({ name }) => name === column);
  }

  /** The values of the live fields. `place` is put before the names of those that are left out. */
  async #valuesOf(doctype: DocType, row: Row, place: string): Promise<Record<string, unknown>> {
    const values: Record<string, unknown> = {};
    for (const [column, value] of Object.entries(row)) {
      const field = doctype.columnByName.get(column)?.field;
      if (field?.fieldtype === 'Password' && isMask(String(value ?? ''))) {
        values[column] = await this.#secret(doctype, String(row['name']), column, place);
      } else if (field) values[column] = value;
      else if (!isOfSystem(doctype, column) && !isEmpty(value)) this.leftOut.add(place + column);
    }
    return values;
  }

  /** Null when the site's key cannot decrypt it. */
  async #secret(doctype: DocType, name: string, field: string, place: string): Promise<string | null> {
    try {
      return await loadSecret(this.#site, this.#db, doctype.name, name, field);
    } catch (error) {
      if (error instanceof DamagedDatabase) throw error;
      this.unreadable.add(place + field);
      return null;
    }
  }

  async #rows(child: string, parent: string, fieldname: string): Promise<readonly Row[]> {
    const table = await describeTable(this.#db, child);
    if (!table) return [];
    return this.#db.all(
      sql`select ${columnsOf(table)} from ${ident(child)} where "parent" = ${parent}
        and "parenttype" = ${this.doctype.name} and "parentfield" = ${fieldname} order by "idx"`,
    );
  }

  async #files(name: string): Promise<KeptFile[]> {
    const rows = await this.#db.all(
      sql`select f."file_url", f."file_name", f."is_private", f."attached_to_field", s."sha256" from "File" f
        left join "_stored_file" s on s."file_url" = f."file_url"
        where f."attached_to_doctype" = ${this.doctype.name} and f."attached_to_name" = ${name}
        order by f."creation", f."name"`,
    );
    return rows.map((row) => ({
      url: String(row['file_url']),
      fileName: String(row['file_name'] ?? ''),
      isPrivate: row['is_private'] === 1,
      field: String(row['attached_to_field'] ?? ''),
      sha256: typeof row['sha256'] === 'string' ? row['sha256'] : null,
    }));
  }
}

/** The tables of a doctype, as the backup defines it: the live one may have others. */
async function tablesOf(db: Connection, doctype: DocType): Promise<Table[]> {
  const tables = new Map(doctype.tables.map(({ fieldname, options }) => [fieldname, options]));
  for (const [table, owner] of [
    ['DocField', 'parent'],
    ['Custom Field', 'dt'],
  ] as const) {
    if (!(await describeTable(db, table))) continue;
    const rows = await db.all(
      sql`select "fieldname", "options" from ${ident(table)}
        where ${ident(owner)} = ${doctype.name} and "fieldtype" in ('Table', 'Table MultiSelect')`,
    );
    for (const row of rows) tables.set(String(row['fieldname']), String(row['options']));
  }
  return [...tables].map(([fieldname, child]) => ({ fieldname, child }));
}

function columnsOf({ columns }: ActualTable): Sql {
  return join(columns.map(({ name }) => ident(name)));
}

/** Columns of every table, those of trees, and those that no field may have. */
function isOfSystem(doctype: DocType, column: string): boolean {
  return column.startsWith('_') || doctype.columnByName.has(column) || OF_TREES.has(column);
}

const OF_TREES: ReadonlySet<string> = new Set(['lft', 'rgt', 'old_parent']);

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || value === 0;
}
