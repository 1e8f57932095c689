import { DatabaseSync } from 'node:sqlite';
import { FIELDS, FILTERS, type FloorStore, type Kind, LISTED, now } from './floor-store.ts';

const pair = (field: string) =>
  field === 'creation' || field === 'modified'
    ? `'${field}', substr("${field}", 1, 19)`
    : `'${field}', "${field}"`;
const object = (fields: readonly string[]) => `json_object(${fields.map(pair).join(', ')})`;
const page = (where: string) => `select '[' || coalesce(group_concat(j), '') || ']' as json from (
  select ${object(LISTED)} as j from "Ticket" ${where}
  order by "modified" desc, "name" desc limit ? offset ?)`;

/** One statement per request, one commit for all writes of a tick, synchronous=FULL. */
export function sqliteStore(file: string): FloorStore {
  const reader = new DatabaseSync(file);
  const writer = new DatabaseSync(file);
  for (const connection of [reader, writer]) {
    connection.exec('pragma journal_mode=wal; pragma synchronous=full; pragma busy_timeout=5000');
  }
  const get = reader.prepare(`select ${object(FIELDS)} as json from "Ticket" where "name" = ?`);
  const lists: Record<Kind, ReturnType<DatabaseSync['prepare']>> = {
    list: reader.prepare(page('')),
    filter: reader.prepare(page('where "status" = ? and "priority" = ?')),
    like: reader.prepare(page('where "subject" like ?')),
  };
  const insert = writer.prepare(
    `insert into "Ticket" (${FIELDS.map((field) => `"${field}"`).join(', ')}, "modified_by", "docstatus", "idx")
     values (${FIELDS.map(() => '?').join(', ')}, 'bench', 0, 0)`,
  );
  const update = writer.prepare('update "Ticket" set "priority" = ?, "modified" = ? where "name" = ?');
  const json = (row: Record<string, unknown> | undefined) => String(row?.['json']);

  let waiting: { run: () => void; done: () => void }[] = [];
  function write(run: () => void, done: () => void): void {
    waiting.push({ run, done });
    if (waiting.length === 1) setImmediate(commit);
  }
  function commit(): void {
    const group = waiting;
    waiting = [];
    writer.exec('begin immediate');
    for (const unit of group) unit.run();
    writer.exec('commit');
    for (const unit of group) unit.done();
  }

  return {
    get: (name, done) => done(json(get.get(name))),
    list: (kind, start, done) => done(json(lists[kind].get(...FILTERS[kind], 20, start))),
    create: (row, done) => write(() => void insert.run(...FIELDS.map((field) => row[field] ?? null)), done),
    update: (name, priority, done) => write(() => void update.run(priority, now(), name), done),
  };
}
