import { LIMITS } from '../../kernel/limits.ts';
import { eachOf } from './each-of.ts';
import { isFailure } from './remote-error.ts';
import type { RemoteRow, RemoteSite } from './remote-site.ts';

/** A doctype of the site as it is read: its child tables by their fields. */
export interface RemoteShape {
  readonly doctype: string;
  readonly tables: readonly RemoteTable[];
  /** Documents that do not come: this server has its own. */
  readonly without?: ReadonlySet<string>;
}

export interface RemoteTable {
  readonly fieldname: string;
  /** The doctype of its rows. */
  readonly doctype: string;
}

export interface Unlisted {
  readonly gone: readonly string[];
  readonly hidden: string | null;
}

/**
 * Completes documents of lists, which have no child rows. The rows of a page are listed together; where the site does
 * not let the key list them, each document is read on its own.
 */
export class DocumentRows {
  readonly #site: RemoteSite;
  readonly #denied = new Set<string>();

  constructor(site: RemoteSite) {
    this.#site = site;
  }

  /** The same documents with their child tables. Leaves out those that are deleted meanwhile. */
  async complete(shape: RemoteShape, page: readonly RemoteRow[]): Promise<readonly RemoteRow[]> {
    if (shape.tables.length === 0 || page.length === 0) return page;
    if (!this.#denied.has(shape.doctype)) {
      try {
        return await this.#withListedRows(shape, page);
      } catch (error) {
        if (!isFailure(error, 'denied')) throw error;
        this.#denied.add(shape.doctype);
      }
    }
    const read = await Promise.all(page.map((row) => this.#read(shape.doctype, String(row['name']))));
    return read.flatMap((row, index) => (row ? [{ ...page[index], ...row }] : []));
  }

  /** Some documents by name, with their child tables; those that exist. */
  async named(shape: RemoteShape, names: readonly string[]): Promise<readonly RemoteRow[]> {
    const found: RemoteRow[] = [];
    for (let start = 0; start < names.length; start += LIMITS.remotePage) {
      const some = names.slice(start, start + LIMITS.remotePage);
      found.push(...(await this.complete(shape, await this.#listNamed(shape.doctype, ALL, some))));
    }
    return found;
  }

  /** Which of some documents exist. */
  async existing(doctype: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (let start = 0; start < names.length; start += LIMITS.remotePage) {
      const rows = await this.#listNamed(doctype, ['name'], names.slice(start, start + LIMITS.remotePage));
      for (const { name } of rows) found.add(String(name));
    }
    return found;
  }

  /**
   * Reads documents that no list shows. Those that the site does not have are `gone`. It may also hide them from the
   * key, as after a new User Permission: then `hidden` is its refusal.
   */
  async unlisted(doctype: string, names: readonly string[]): Promise<Unlisted> {
    const gone: string[] = [];
    let hidden: string | null = null;
    await eachOf(names, async (name) => {
      try {
        const row = await this.#read(doctype, name);
        // MariaDB also finds a document whose name was changed in case alone.
        if (row === null || String(row['name']) !== name) gone.push(name);
      } catch (error) {
        if (!isFailure(error, 'denied', 'refused', 'large')) throw error;
        hidden ??= (error as Error).message;
      }
    });
    return { gone, hidden };
  }

  async #listNamed(
    doctype: string,
    fields: readonly string[],
    names: readonly string[],
  ): Promise<readonly RemoteRow[]> {
    const filters = [['name', 'in', names]] as const;
    try {
      return await this.#site.list({ doctype, fields, filters, orderBy: 'name asc', limit: names.length });
    } catch (error) {
      if (!isFailure(error, 'large') || names.length === 1) throw error;
      const half = Math.ceil(names.length / 2);
      return [
        ...(await this.#listNamed(doctype, fields, names.slice(0, half))),
        ...(await this.#listNamed(doctype, fields, names.slice(half))),
      ];
    }
  }

  async #withListedRows(
    { doctype, tables }: RemoteShape,
    page: readonly RemoteRow[],
  ): Promise<readonly RemoteRow[]> {
    const names = page.map(({ name }) => String(name));
    const children = new Set(tables.map((table) => table.doctype));
    const listed = await Promise.all(
      [...children].map(async (child) => [child, await this.#rowsOf(doctype, child, names)] as const),
    );
    const rows = new Map<string, RemoteRow[]>();
    for (const [child, some] of listed) {
      for (const row of some) {
        const place = placeOf(child, row['parentfield'], row['parent']);
        const before = rows.get(place);
        if (before) before.push(row);
        else rows.set(place, [row]);
      }
    }
    const tableOf = (name: unknown, { fieldname, doctype: child }: RemoteTable) =>
      (rows.get(placeOf(child, fieldname, name)) ?? []).sort((a, b) => Number(a['idx']) - Number(b['idx']));
    return page.map((document) => ({
      ...document,
      ...Object.fromEntries(tables.map((table) => [table.fieldname, tableOf(document['name'], table)])),
    }));
  }

  /** The rows of some documents: each request is one moment of the site's table, so none is missed or doubled. */
  async #rowsOf(parent: string, child: string, names: readonly string[]): Promise<readonly RemoteRow[]> {
    const limit = LIMITS.remoteRowsPage;
    let rows: readonly RemoteRow[] | null = null;
    try {
      rows = await this.#site.list({
        doctype: child,
        parent,
        fields: ALL,
        filters: [
          ['parenttype', '=', parent],
          ['parent', 'in', names],
        ],
        orderBy: 'parent asc, idx asc',
        limit,
      });
    } catch (error) {
      if (!isFailure(error, 'large')) throw error;
    }
    if (rows && rows.length < limit) return rows;
    const [only = ''] = names;
    if (names.length === 1) {
      const whole = await this.#read(parent, only);
      const tables = Object.values(whole ?? {})
        .filter(Array.isArray)
        .flat();
      return tables.map((row) => Object(row) as RemoteRow).filter(({ doctype }) => doctype === child);
    }
    const half = Math.ceil(names.length / 2);
    return [
      ...(await this.#rowsOf(parent, child, names.slice(0, half))),
      ...(await this.#rowsOf(parent, child, names.slice(half))),
    ];
  }

  async #read(doctype: string, name: string): Promise<RemoteRow | null> {
    try {
      return await this.#site.read(doctype, name);
    } catch (error) {
      if (isFailure(error, 'missing')) return null;
      throw error;
    }
  }
}

const ALL = ['*'];

function placeOf(child: string, parentfield: unknown, parent: unknown): string {
  return `${child}\n${String(parentfield)}\n${String(parent)}`;
}
