import { copyName, type Place } from './large-seed.ts';
import type { MakeRequest } from './load.ts';

/** A measured request, or work whose time is measured once. */
export type Step =
  | { readonly name: string; readonly make: MakeRequest }
  | { readonly name: string; readonly prepare: () => Promise<void> };

const FIELDS = encodeURIComponent(JSON.stringify(['name', 'subject', 'status', 'priority', 'modified']));

/** The verbs on a site with so many tickets, in this order: later steps change the table. */
export function largeRequests(place: Place, size: number): readonly Step[] {
  const anyName = () => copyName(Math.floor(Math.random() * size));
  const list = (name: string, query: Readonly<Record<string, unknown>>): Step => {
    const more = Object.entries(query).map(
      ([key, value]) =>
        `${key}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
    );
    const path = `/api/resource/Ticket?fields=${FIELDS}&${more.join('&')}`;
    return { name, make: () => ({ method: 'GET', path }) };
  };
  const newest = { order_by: 'modified desc' };
  const likes = (how: string) => [
    list(`like${how}, a frequent word`, { ...newest, filters: [['subject', 'like', '%printer%']] }),
    list(`like${how}, one match`, {
      ...newest,
      filters: [['subject', 'like', `%ticket ${size - 7} about%`]],
    }),
    list(`like${how}, no match`, { ...newest, filters: [['subject', 'like', '%no such words%']] }),
  ];
  return [
    { name: 'get', make: () => ({ method: 'GET', path: `/api/resource/Ticket/${anyName()}` }) },
    list('list', newest),
    list('filter by two Selects', { ...newest, filters: { status: 'Open', priority: 'High' } }),
    list('filter by a Data field', { ...newest, filters: { raised_by: 'person77@example.com' } }),
    list('list with a capped count and estimate', { ...newest, include: 'count' }),
    list('count of all', { limit: 1, count: 'exact' }),
    list('count of a status', { limit: 1, count: 'exact', filters: { status: 'Open' } }),
    list('offset of 90 %', { ...newest, limit_start: String(Math.floor(0.9 * size)) }),
    list('order by a field without an index', { order_by: 'subject asc' }),
    {
      name: 'create',
      make: () => ({
        method: 'POST',
        path: '/api/resource/Ticket',
        body: JSON.stringify({ subject: 'The door on the second floor', raised_by: 'someone@example.com' }),
      }),
    },
    {
      name: 'update',
      make: () => ({
        method: 'PUT',
        path: `/api/resource/Ticket/${anyName()}`,
        body: JSON.stringify({ priority: Math.random() < 0.5 ? 'Low' : 'Urgent' }),
      }),
    },
    ...likes(''),
    { name: 'build of an index', prepare: () => place.index([['priority', 'raised_by']]) },
    {
      name: 'build of an index for like',
      prepare: () => place.index([['priority', 'raised_by'], ['subject like']]),
    },
    ...likes(' with its index'),
    {
      name: 'create, with the index for like',
      make: () => ({
        method: 'POST',
        path: '/api/resource/Ticket',
        body: JSON.stringify({ subject: 'The door on the third floor', raised_by: 'someone@example.com' }),
      }),
    },
    { name: 'retention: 50,000 versions', prepare: () => place.prune(50_000) },
  ];
}
