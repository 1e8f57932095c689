import pg from 'pg';
import { FIELDS, FILTERS, type FloorStore, LISTED, now } from './floor-store.ts';

const column = (field: string) =>
  field === 'creation' || field === 'modified'
    ? `'${field}', to_char("${field}", 'YYYY-MM-DD HH24:MI:SS')`
    : `'${field}', "${field}"`;
const object = (fields: readonly string[]) => `json_build_object(${fields.map(column).join(', ')})`;
// Makes the JSON of the page alone: PostgreSQL would also make that of the rows before it.
const page = (
  where: string,
  parameters: number,
) => `select coalesce(json_agg(${object(LISTED)}), '[]')::text as json from (
  select * from "Ticket" ${where}
  order by "modified" desc nulls last, "name" desc limit $${parameters + 1} offset $${parameters + 2}) as t`;

const LISTS = {
  list: page('', 0),
  filter: page('where "status" = $1 and "priority" = $2', 2),
  like: page('where "subject" ilike $1', 1),
};

/** One pipelined connection for reads, a pool for writes; each write is its own commit. Reads the site's own table. */
export async function postgresStore(url: string): Promise<FloorStore> {
  const address = new URL(url);
  const schema = address.searchParams.get('schema');
  for (const own of ['schema', 'unsafe']) address.searchParams.delete(own);
  const connectionString = address.toString();
  const options = schema ? `-c search_path=${schema}` : undefined;
  const common = { connectionString, ...(options ? { options } : {}) };
  const reader = new pg.Client({ ...common, pipeline: true } as pg.ClientConfig);
  await reader.connect();
  const writers = new pg.Pool({ ...common, max: 8 });
  const insert = `insert into "Ticket" (${FIELDS.map((field) => `"${field}"`).join(', ')}, "modified_by")
    values (${FIELDS.map((_, index) => `$${index + 1}`).join(', ')}, 'bench')`;
  const update = 'update "Ticket" set "priority" = $1, "modified" = $2 where "name" = $3';
  const getText = `select ${object(FIELDS)}::text as json from "Ticket" where "name" = $1`;
  const read = (name: string, text: string, values: unknown[], done: (json: string) => void) =>
    void reader.query({ name, text, values }).then((result) => done(String(result.rows[0]?.json)));
  return {
    get: (name, done) => read('get', getText, [name], done),
    list: (kind, start, done) => read(kind, LISTS[kind], [...FILTERS[kind], 20, start], done),
    create: (row, done) =>
      void writers
        .query({ name: 'insert', text: insert, values: FIELDS.map((field) => row[field] ?? null) })
        .then(() => done()),
    update: (name, priority, done) =>
      void writers
        .query({ name: 'update', text: update, values: [priority, now(), name] })
        .then(() => done()),
  };
}
