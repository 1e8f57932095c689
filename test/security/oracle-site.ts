import { ident, type Sql, sql } from '../../src/db/sql.ts';
import { type Engine, startTestSite, type TestReply, type TestSite } from '../support/site.ts';

/** What is asked; `~` stands for the field or document that is hidden, or that there is not. */
export interface Asked {
  readonly verb: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A site with something of every kind that Ann may not see, among what she may. */
export interface OracleSite {
  readonly site: TestSite;
  readonly ann: string;
  ask(asked: Asked): Promise<TestReply>;
  /** Gives everything that Ann may not see other values, behind the server's back. */
  change(world: 'a' | 'b'): Promise<void>;
  stop(): Promise<void>;
}

const RIGHTS = { read: 1, write: 1, create: 1, delete: 1, export: 1, report: 1, share: 1 };
const SUBMITS = { submit: 1, cancel: 1, amend: 1 };
const MANAGER = [
  { role: 'System Manager', ...RIGHTS },
  { role: 'System Manager', permlevel: 1, read: 1, write: 1 },
];
const READER = { role: 'Reader', ...RIGHTS };
const link = (fieldname: string, options: string) => ({ fieldname, fieldtype: 'Link', options });
const data = (fieldname: string, more: object = {}) => ({ fieldname, fieldtype: 'Data', ...more });
const secret = (fieldname: string) => ({ fieldname, fieldtype: 'Int', permlevel: 1 });
const rows = (fieldname: string, more: object = {}) => ({
  fieldname,
  fieldtype: 'Table',
  options: 'Person Row',
  ...more,
});

const ROW_FIELDS = [data('note'), secret('bonus'), link('account', 'Account'), link('region', 'Region')];
/** Those that name the doctype that holds the rows. */
const ROW_LINKS = [link('friend', 'Person'), { ...link('patron', 'Person'), permlevel: 1 }];

const DOCTYPES = [
  { name: 'Region', fields: [data('title'), secret('budget')], permissions: [...MANAGER, READER] },
  { name: 'Account', fields: [data('number')], permissions: MANAGER },
  {
    name: 'Carrier',
    is_submittable: 1,
    fields: [data('title')],
    permissions: [{ ...MANAGER[0], ...SUBMITS }],
  },
  { name: 'Person Row', istable: 1, fields: ROW_FIELDS },
  {
    name: 'Place',
    is_tree: 1,
    nsm_parent_field: 'above',
    allow_rename: 1,
    fields: [{ ...link('above', 'Place'), permlevel: 1 }],
    permissions: [...MANAGER, READER],
  },
  {
    name: 'Person',
    title_field: 'title',
    search_fields: 'salary, pin',
    sort_field: 'salary',
    track_changes: 1,
    allow_rename: 1,
    fields: [
      data('title'),
      secret('salary'),
      { fieldname: 'pin', fieldtype: 'Password' },
      link('account', 'Account'),
      link('region', 'Region'),
      link('boss', 'Person'),
      link('ref_type', 'DocType'),
      { fieldname: 'ref', fieldtype: 'Dynamic Link', options: 'ref_type' },
      rows('rows'),
      rows('hidden_rows', { permlevel: 1 }),
      { ...link('secret_boss', 'Person'), permlevel: 1 },
      { ...link('secret_type', 'DocType'), permlevel: 1 },
      { fieldname: 'secret_ref', fieldtype: 'Dynamic Link', options: 'secret_type', permlevel: 1 },
      { fieldname: 'half_ref', fieldtype: 'Dynamic Link', options: 'secret_type' },
      link('place', 'Place'),
    ],
    permissions: [...MANAGER, READER],
  },
  {
    name: 'Order',
    is_submittable: 1,
    fields: [data('title'), { ...link('carrier', 'Carrier'), permlevel: 1 }],
    permissions: [
      { ...MANAGER[0], ...SUBMITS },
      { ...READER, ...SUBMITS },
      { role: 'System Manager', permlevel: 1, read: 1, write: 1 },
    ],
  },
  {
    name: 'Paper',
    is_submittable: 1,
    allow_rename: 1,
    track_changes: 1,
    fields: [data('title')],
    permissions: [
      { ...MANAGER[0], ...SUBMITS },
      { ...READER, ...SUBMITS, if_owner: 1 },
    ],
  },
];

/** Documents that Ann may read, and that fields name which she may not: in each world another. */
export const LINKED = ['p-x-one', 'p-y-two'] as const;

/** Nobody's name, as long as that of the hidden documents. */
export const MISSING = 'nothere';

/** Documents that Ann may not see, each kept from her by another rule; to each belongs `MISSING`. */
export const HIDDEN: Readonly<Record<string, { readonly doctype: string; readonly name: string }>> = {
  'by a User Permission on a link': { doctype: 'Person', name: 'p-south' },
  'by a User Permission on itself': { doctype: 'Region', name: 's-south' },
  'by if_owner': { doctype: 'Paper', name: 'x-other' },
  'for want of any right': { doctype: 'Account', name: 'a-first' },
  'by a controller': { doctype: 'File', name: '' },
};

export async function startOracle(engine: Engine): Promise<OracleSite> {
  const site = await startTestSite(engine);
  try {
    return await fillSite(site);
  } catch (error) {
    // A server that runs on would keep the test from ending.
    await site.stop();
    throw error;
  }
}

async function fillSite(site: TestSite): Promise<OracleSite> {
  const { make } = site;
  await make('Role', { role_name: 'Reader' });
  for (const doctype of DOCTYPES) await make('DocType', { module: 'Test', autoname: 'Prompt', ...doctype });
  const fields = [...ROW_FIELDS, ...ROW_LINKS];
  await site.ok('PUT', '/api/resource/DocType/Person%20Row', { body: { fields } });
  const ann = await site.createUser('ann@example.com', ['Reader']);
  for (const name of ['n-north', 's-south']) await make('Region', { name, budget: 1 });
  for (const name of ['a-first', 'a-other']) await make('Account', { name, number: '1' });
  for (const [name, region, pin] of [
    ['p-north', 'n-north', 'short'],
    ['p-other', 'n-north', 'a much longer secret'],
    ['p-south', 's-south', 'hidden'],
  ]) {
    await make('Person', {
      name,
      region,
      pin,
      title: `Person ${name}`,
      salary: 1,
      account: 'a-first',
      rows: [{ note: 'seen', bonus: 1, account: 'a-first' }],
      hidden_rows: [{ note: 'unseen' }],
    });
  }
  for (const name of LINKED) await make('Person', { name, region: 'n-north', pin: 'another' });
  for (const name of ['l-x', 'l-y']) await make('Place', { name, is_group: 1 });
  await make('Place', { name: 'l-low', above: 'l-x' });
  await make('Paper', { name: 'x-other', title: 'of somebody else' });
  HIDDEN_FILE.name = (
    await make('File', {
      file_name: 'kept.txt',
      content: 'kept',
      is_private: 1,
      attached_to_doctype: 'Person',
      attached_to_name: 'p-south',
    })
  ).name;
  await make('User Permission', { user: 'ann@example.com', allow: 'Region', for_value: 'n-north' });

  return {
    site,
    ann,
    stop: site.stop,
    ask: ({ verb, path, ...sent }) => site.request(verb, path, { as: ann, ...sent }),
    async change(world) {
      const [number, text] = world === 'a' ? [1, 'one'] : [987_654, 'another value'];
      const set = (table: string, column: string, value: unknown, where: Sql = sql`true`) =>
        site.site.database.transaction((db) =>
          db.run(sql`update ${ident(table)} set ${ident(column)} = ${value as string} where ${where}`),
        );
      await set('Person', 'salary', number, sql`"name" <> 'p-other'`);
      await set('Person Row', 'bonus', number);
      await set('Person Row', 'note', text, sql`"parentfield" = 'hidden_rows'`);
      await set('Region', 'budget', number);
      await set('Account', 'number', text);
      await set('Person', 'title', text, sql`"name" = 'p-south'`);
      await set('Paper', 'title', text, sql`"name" = 'x-other'`);
      const [linked, above] = world === 'a' ? [LINKED[0], 'l-x'] : [LINKED[1], 'l-y'];
      const north = sql`"name" = 'p-north'`;
      await set('Person', 'secret_boss', linked, north);
      await set('Person', 'secret_type', world === 'a' ? 'Person' : 'Region', north);
      await set('Person', 'secret_ref', linked, north);
      await set('Person', 'half_ref', LINKED[0], north);
      await set('Person Row', 'patron', linked);
      await set('Person Row', 'friend', linked, sql`"parentfield" = 'hidden_rows'`);
      // A save writes the parent to both.
      for (const field of ['above', 'old_parent']) await set('Place', field, above, sql`"name" = 'l-low'`);
      await set('File', 'file_name', text, sql`"name" = ${HIDDEN_FILE.name}`);
      // After quick saves a read gives a document a `modified` and a revision of its own.
      for (const { name } of DOCTYPES) await set(name, 'modified', '2026-01-01 00:00:00.000000');
    },
  };
}

const HIDDEN_FILE = HIDDEN['by a controller'] as { doctype: string; name: string };

/** What a reply says, without what differs between any two: the name asked for, and the time. */
export function shape(reply: TestReply, name: string): string {
  const text = reply.text
    .replaceAll(JSON.stringify(name).slice(1, -1), '~')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?/g, 'T');
  return `${reply.status} ${text}`;
}
