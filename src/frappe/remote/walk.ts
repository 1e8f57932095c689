import { LIMITS } from '../../kernel/limits.ts';
import { isFailure } from './remote-error.ts';
import type { RemoteFilter, RemoteList, RemoteRow, RemoteSite } from './remote-site.ts';

/**
 * Pages of all documents in the order of their names. Documents that are made or deleted meanwhile
 * shift no others, as they would with offsets.
 */
export async function* byName(
  site: RemoteSite,
  doctype: string,
  { fields = ALL, page = LIMITS.remotePage, parent }: NameWalk = {},
): AsyncGenerator<readonly RemoteRow[]> {
  const list = { doctype, fields, orderBy: 'name asc', ...(parent === undefined ? {} : { parent }) };
  let last: unknown = null;
  let limit = page;
  for (;;) {
    const filters: RemoteFilter[] = last === null ? [] : [['name', '>', last]];
    const { rows, used } = await listFitting(site, { ...list, filters, limit });
    limit = used;
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    last = rows.at(-1)?.['name'];
  }
}

const ALL = ['*'];

interface NameWalk {
  readonly fields?: readonly string[];
  readonly page?: number;
  /** The doctype of the documents whose rows are walked, for rows of child tables. */
  readonly parent?: string;
}

/**
 * Pages of the documents with `modified` at or after a moment, the earliest first. Documents that change meanwhile move
 * to the end. A page begins with the moment of the last one's end, and leaves out what that one had.
 */
export async function* byModified(
  site: RemoteSite,
  doctype: string,
  from: string,
  { fields = ALL, page = LIMITS.remotePage }: Omit<NameWalk, 'parent'> = {},
): AsyncGenerator<readonly RemoteRow[]> {
  let moment = from;
  let had: ReadonlySet<unknown> = new Set();
  let limit = page;
  for (;;) {
    const list = { doctype, fields, orderBy: 'modified asc, name asc', limit };
    const { rows, used } = await listFitting(site, { ...list, filters: [['modified', '>=', moment]] });
    limit = used;
    const fresh = rows.filter(({ name }) => !had.has(name));
    if (fresh.length > 0) yield fresh;
    if (rows.length < limit) return;
    const last = String(rows.at(-1)?.['modified']);
    if (fresh.length > 0 && last !== moment) {
      had = new Set(rows.filter(({ modified }) => modified === last).map(({ name }) => name));
      moment = last;
      continue;
    }
    // A page of one moment only: its documents are read by name, and the walk goes on after it.
    const end = endOf(last);
    for await (const same of atMoment(site, list, last, end)) {
      const rest = same.filter(({ name }) => !had.has(name) && !fresh.some((row) => row['name'] === name));
      if (rest.length > 0) yield rest;
    }
    moment = after(end);
    had = new Set();
  }
}

async function* atMoment(
  site: RemoteSite,
  list: Omit<RemoteList, 'filters'>,
  moment: string,
  end: string,
): AsyncGenerator<readonly RemoteRow[]> {
  const within: RemoteFilter[] = [
    ['modified', '>=', moment],
    ['modified', '<=', end],
  ];
  let { limit } = list;
  let last: unknown = null;
  for (;;) {
    const filters: RemoteFilter[] = last === null ? within : [...within, ['name', '>', last]];
    const { rows, used } = await listFitting(site, { ...list, limit, filters, orderBy: 'name asc' });
    limit = used;
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    last = rows.at(-1)?.['name'];
  }
}

// A moment without a fraction is that of a site that shows whole seconds, or one at the start of a second.
function endOf(moment: string): string {
  return moment.includes('.') ? moment : `${moment}.999999`;
}

/** The next microsecond. */
function after(moment: string): string {
  const [second = '', fraction = ''] = moment.split('.');
  const micros = Number(fraction.padEnd(6, '0').slice(0, 6)) + 1;
  if (micros < 1_000_000) return `${second}.${String(micros).padStart(6, '0')}`;
  return shifted(second, 1_000);
}

/** A timestamp of the site, some milliseconds later or earlier by its own clock; with whole seconds. */
export function shifted(moment: string, millis: number): string {
  const at = Date.parse(`${moment.slice(0, 19).replace(' ', 'T')}Z`) + millis;
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** A list with as many documents as one response may hold, and the size of that page. */
export async function listFitting(
  site: RemoteSite,
  list: RemoteList,
): Promise<{ readonly rows: readonly RemoteRow[]; readonly used: number }> {
  for (let limit = list.limit; ; limit = Math.ceil(limit / 4)) {
    try {
      return { rows: await site.list({ ...list, limit }), used: limit };
    } catch (error) {
      if (!isFailure(error, 'large') || limit === 1) throw error;
    }
  }
}
