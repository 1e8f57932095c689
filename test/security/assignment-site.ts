import { ident, type SqlValue, sql } from '../../src/db/sql.ts';
import { type Engine, startTestSite, type TestReply, type TestSite } from '../support/site.ts';

/** A site with one document that Wil may write, and one that is somebody else's. */
export interface AssignmentSite {
  readonly site: TestSite;
  send(door: Door, fields: string): Promise<TestReply>;
  /** Puts both documents as they were, and removes what was made since. */
  reset(): Promise<void>;
  /** Everything that is stored of documents of the doctype and their rows. */
  stored(): Promise<Stored>;
}

type Values = Readonly<Record<string, unknown>>;
export interface Stored {
  readonly documents: readonly Values[];
  readonly rows: readonly Values[];
}

/** A way for fields into a document: `fields` is the JSON text of an object. */
export interface Door {
  readonly makes: 'changes' | 'a new one';
  request(fields: string): {
    readonly verb: string;
    readonly path: string;
    readonly body: string;
    readonly form?: true;
  };
}

export const WIL = 'wil@example.com';
const WRITER = { role: 'Writer', read: 1, write: 1, create: 1 };
const THING_ROW = {
  name: 'Thing Row',
  istable: 1,
  fields: [
    { fieldname: 'note', fieldtype: 'Data' },
    { fieldname: 'bonus', fieldtype: 'Int', permlevel: 1, default: '7' },
    { fieldname: 'told', fieldtype: 'Data', read_only: 1, enforce_on_server: 1, default: 'told' },
  ],
};
const THING = {
  name: 'Thing',
  autoname: 'Prompt',
  track_changes: 1,
  fields: [
    { fieldname: 'title', fieldtype: 'Data' },
    { fieldname: 'salary', fieldtype: 'Int', permlevel: 1, default: '7' },
    { fieldname: 'told', fieldtype: 'Data', read_only: 1, enforce_on_server: 1, default: 'told' },
    { fieldname: 'once', fieldtype: 'Data', set_only_once: 1 },
    { fieldname: 'rows', fieldtype: 'Table', options: 'Thing Row' },
    { fieldname: 'hidden_rows', fieldtype: 'Table', options: 'Thing Row', permlevel: 1 },
  ],
  permissions: [{ role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 }, WRITER],
};

export async function startAssignment(engine: Engine): Promise<AssignmentSite> {
  const site = await startTestSite(engine);
  try {
    return await fillSite(site);
  } catch (error) {
    await site.stop();
    throw error;
  }
}

async function fillSite(site: TestSite): Promise<AssignmentSite> {
  const make = async (doctype: string, body: object) => {
    await site.make(doctype, body);
  };
  await make('Role', { role_name: 'Writer' });
  for (const doctype of [THING_ROW, THING]) await make('DocType', { module: 'Test', ...doctype });
  const wil = await site.createUser(WIL, ['Writer']);
  for (const name of ['mine', 'other']) {
    await make('Thing', {
      name,
      title: name,
      once: 'first',
      rows: [{ note: name }],
      hidden_rows: [{ note: 'kept' }],
    });
  }
  const database = site.site.database;
  const stored = async (): Promise<Stored> => ({
    documents: await database.reader.all(sql`select * from ${ident('Thing')} order by "name"`),
    rows: await database.reader.all(
      sql`select * from ${ident('Thing Row')} order by "parent", "parentfield", "idx", "name"`,
    ),
  });
  const first = await stored();
  return {
    site,
    stored,
    send(door, fields) {
      const { verb, path, body, form } = door.request(fields);
      const headers = { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' };
      return site.request(verb, path, { as: wil, body, headers });
    },
    async reset() {
      await database.transaction(async (db) => {
        for (const [table, rows] of [
          ['Thing', first.documents],
          ['Thing Row', first.rows],
        ] as const) {
          await db.run(sql`delete from ${ident(table)}`);
          for (const row of rows) {
            const columns = Object.keys(row);
            let names = sql``;
            let values = sql``;
            for (const [index, column] of columns.entries()) {
              const comma = index === 0 ? sql`` : sql`, `;
              names = sql`${names}${comma}${ident(column)}`;
              values = sql`${values}${comma}${(row[column] ?? null) as SqlValue}`;
            }
            await db.run(sql`insert into ${ident(table)} (${names}) values (${values})`);
          }
        }
      });
    },
  };
}

const method = (name: string, body: (fields: string) => string, makes: Door['makes'] = 'changes'): Door => ({
  makes,
  request: (fields) => ({ verb: 'POST', path: `/api/method/${name}`, body: body(fields) }),
});
const resource = (
  verb: string,
  path: string,
  makes: Door['makes'],
  body = (fields: string) => fields,
): Door => ({ makes, request: (fields) => ({ verb, path, body: body(fields) }) });
const form = (verb: string, path: string, makes: Door['makes']): Door => ({
  makes,
  request: (fields) => ({ verb, path, body: `data=${encodeURIComponent(fields)}`, form: true }),
});
/** The same object with more keys, before those that are tried: of two the last counts. */
const within = (more: object, fields: string): string => {
  const inner = fields.slice(1, -1);
  return `${JSON.stringify(more).slice(0, -1)}${inner === '' ? '' : `,${inner}`}}`;
};
const mine = { doctype: 'Thing', name: 'mine' };
const made = { doctype: 'Thing', __newname: 'made' };
const named = (fields: string): string => `{"doctype":"Thing","name":"mine","fieldname":${fields}}`;

/** Every door through which a client puts fields into documents. */
export const DOORS: Readonly<Record<string, Door>> = {
  'PUT v1': resource('PUT', '/api/resource/Thing/mine', 'changes'),
  'PUT v1, {"data"}': resource(
    'PUT',
    '/api/resource/Thing/mine',
    'changes',
    (fields) => `{"data":${fields}}`,
  ),
  'PUT v1, form': form('PUT', '/api/resource/Thing/mine', 'changes'),
  'PUT v2': resource('PUT', '/api/v2/document/Thing/mine', 'changes'),
  'PATCH v2': resource('PATCH', '/api/v2/document/Thing/mine', 'changes'),
  'bulk_update v2': resource(
    'POST',
    '/api/v2/document/Thing/bulk_update',
    'changes',
    (fields) => `{"docs":[${within({ name: 'mine' }, fields)}]}`,
  ),
  bulk_update: method('bulk_update', (fields) => `{"docs":[${within(mine, fields)}]}`),
  'frappe.client.bulk_update': method(
    'frappe.client.bulk_update',
    (fields) => `{"docs":[${within({ doctype: 'Thing', docname: 'mine' }, fields)}]}`,
  ),
  'set_value, an object': method('frappe.client.set_value', named),
  'set_value, JSON text': method('frappe.client.set_value', (fields) => named(JSON.stringify(fields))),
  save: method('frappe.client.save', (fields) => `{"doc":${within(mine, fields)}}`),
  'save, JSON text': method(
    'frappe.client.save',
    (fields) => `{"doc":${JSON.stringify(within(mine, fields))}}`,
  ),
  'run_doc_method with a document': method(
    'run_doc_method',
    (fields) => `{"docs":${within(mine, fields)},"method":"add_comment"}`,
  ),
  'POST v1': resource('POST', '/api/resource/Thing', 'a new one', (fields) => within(made, fields)),
  'POST v1, form': form('POST', '/api/resource/Thing', 'a new one'),
  'POST v2': resource('POST', '/api/v2/document/Thing', 'a new one', (fields) => within(made, fields)),
  insert: method('frappe.client.insert', (fields) => `{"doc":${within(made, fields)}}`, 'a new one'),
  insert_many: method(
    'frappe.client.insert_many',
    (fields) => `{"docs":[${within(made, fields)}]}`,
    'a new one',
  ),
  'save, a new one': method('frappe.client.save', (fields) => `{"doc":${within(made, fields)}}`, 'a new one'),
  submit: method('frappe.client.submit', (fields) => `{"doc":${within(mine, fields)}}`),
};
