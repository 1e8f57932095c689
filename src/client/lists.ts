/** The options of a list, for any doctype. */
export interface AnyList {
  readonly fields?: readonly string[];
  readonly filters?: unknown;
  readonly orFilters?: unknown;
  readonly orderBy?: string | readonly string[];
  readonly start?: number;
  readonly limit?: number;
}

/** The query parameters of a list. */
export function listParameters(list: AnyList): Record<string, string> {
  const { fields, filters, orFilters, orderBy, start, limit } = list;
  return {
    ...(fields === undefined ? {} : { fields: JSON.stringify(fields) }),
    ...(filters === undefined ? {} : { filters: JSON.stringify(filters) }),
    ...(orFilters === undefined ? {} : { or_filters: JSON.stringify(orFilters) }),
    ...(orderBy === undefined ? {} : { order_by: [orderBy].flat().join(', ') }),
    ...(start === undefined ? {} : { limit_start: String(start) }),
    ...(limit === undefined ? {} : { limit_page_length: String(limit) }),
  };
}

const PAGE = 100;

/** A page of rows, and the start of the next page, when the request asked for it and the server knows it. */
interface Page<R> {
  readonly rows: R[];
  readonly cursor: string | null;
}

type ReadPage<R, O> = (page: O, paging?: Readonly<Record<string, string>>) => Promise<Page<R>>;

/** Reads page after page: in a requested order by the server's cursor, otherwise after the last name. */
export async function* each<R extends object, O extends AnyList>(
  read: ReadPage<R, O>,
  list: O,
): AsyncGenerator<R, void, undefined> {
  const limit = list.limit ?? PAGE;
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError('limit must be a whole number above 0');
  if (list.orderBy !== undefined) return yield* inOrder(read, list, limit);
  const fields = list.fields ?? ['name'];
  const isNameAsked = fields.includes('name');
  const asked = isNameAsked ? fields : [...fields, 'name'];
  let { start = 0 } = list;
  let last: string | null = null;
  for (;;) {
    const filters: unknown[] = last === null ? [] : [['name', '>', last]];
    const page = {
      ...list,
      fields: asked,
      filters: [...conditions(list.filters), ...filters],
      orderBy: 'name asc',
      start,
      limit,
    };
    const { rows } = await read(page);
    for (const row of rows) {
      last = rowName(row);
      // The client requested the name to find the next page; the caller did not.
      if (!isNameAsked) Reflect.deleteProperty(row, 'name');
      yield row;
    }
    if (rows.length < limit) return;
    start = 0;
  }
}

// Rows that stand for several documents have no cursor, so pages are counted.
async function* inOrder<R extends object, O extends AnyList>(
  read: ReadPage<R, O>,
  list: O,
  limit: number,
): AsyncGenerator<R, void, undefined> {
  let { start = 0 } = list;
  let after: string | null = null;
  for (;;) {
    const begin = after === null ? { start } : { start: 0 };
    const paging = { include: 'cursor', ...(after === null ? {} : { after }) };
    const { rows, cursor }: Page<R> = await read({ ...list, ...begin, limit }, paging);
    yield* rows;
    if (rows.length < limit || (after !== null && cursor === null)) return;
    start += limit;
    after = cursor;
  }
}

function rowName(row: object): string {
  return 'name' in row ? String(row.name) : '';
}

// Filters as a list, so that a condition can be added.
function conditions(filters: unknown): readonly unknown[] {
  if (Array.isArray(filters)) return filters;
  if (typeof filters !== 'object' || filters === null) return [];
  return Object.entries(filters).map(([field, test]) =>
    Array.isArray(test) ? [field, ...test] : [field, '=', test],
  );
}
