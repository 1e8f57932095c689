/** Each operation that writes announces the events that it declares, and no others. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CommitListener } from '../../src/document/contract.ts';
import { DOCUMENT_ADDRESSES } from '../../src/http/documents/addresses.ts';
import { BUILT_INS } from '../../src/http/methods/methods.ts';
import type { Operation } from '../../src/operation/operation.ts';
import { entryOf } from '../security/method-entries.ts';
import { startWalk, type WalkSite } from '../security/walk-site.ts';
import { pack } from '../support/zip.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a scenario works with. Only the events of `send` and `call` count. */
interface Stage {
  readonly walk: WalkSite;
  /** Calls the method of the scenario. */
  call(args: Fields): Promise<void>;
  send(verb: string, path: string, body?: Fields): Promise<void>;
  /** A new document with this docstatus; resolves to its name. */
  piece(docstatus?: 0 | 1 | 2): Promise<string>;
}

type Scenario = (stage: Stage) => Promise<void>;

const DOCTYPES = [
  {
    name: 'Piece Row',
    module: 'Notes',
    istable: 1,
    fields: [{ fieldname: 'item', fieldtype: 'Data', allow_on_submit: 1 }],
  },
  {
    name: 'Piece',
    module: 'Notes',
    is_submittable: 1,
    autoname: 'hash',
    fields: [
      { fieldname: 'title', fieldtype: 'Data', allow_on_submit: 1 },
      { fieldname: 'scan', fieldtype: 'Attach', allow_on_submit: 1 },
      { fieldname: 'rows', fieldtype: 'Table', options: 'Piece Row', allow_on_submit: 1 },
    ],
    permissions: [
      { role: 'System Manager', read: 1 },
      { role: 'Desk User', read: 1 },
    ],
  },
];

/** A change of fields, before and after submission. */
async function edit({ piece }: Stage, change: (name: string, fields: Fields) => Promise<void>) {
  for (const docstatus of [0, 1] as const) await change(await piece(docstatus), { title: 'x' });
}

async function update(stage: Stage, change: (name: string, fields: Fields) => Promise<void>) {
  await edit(stage, change);
  for (const docstatus of [0, 1] as const) {
    await change(await stage.piece(docstatus), { docstatus: docstatus + 1 });
  }
}

/** A new document, a submitted one, and rows of existing ones. */
async function insert({ piece }: Stage, make: (doc: Fields) => Promise<void>) {
  for (const docstatus of [0, 1] as const) {
    await make({ doctype: 'Piece', docstatus });
    const parent = await piece(docstatus);
    await make({ doctype: 'Piece Row', parenttype: 'Piece', parentfield: 'rows', parent });
  }
}

const bulkUpdate: (nameKey: string) => Scenario = (nameKey) => (stage) =>
  update(stage, (name, fields) => stage.call({ docs: [{ doctype: 'Piece', [nameKey]: name, ...fields }] }));
const v2 = '/api/v2/document/Piece';

/** Operations with several outcomes, and those of addresses. All others run with the arguments of the walk. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  create: async ({ send }) => {
    for (const docstatus of [0, 1]) await send('POST', '/api/resource/Piece', { docstatus });
  },
  update: (stage) =>
    update(stage, (name, fields) => stage.send('PUT', `/api/resource/Piece/${name}`, fields)),
  delete: async ({ send, piece }) => send('DELETE', `/api/resource/Piece/${await piece()}`),
  bulkUpdate: (stage) =>
    update(stage, (name, fields) => stage.send('POST', `${v2}/bulk_update`, { docs: [{ name, ...fields }] })),
  bulkDelete: async ({ send, piece }) => send('POST', `${v2}/bulk_delete`, { names: [await piece()] }),
  'frappe.client.insert': (stage) => insert(stage, (doc) => stage.call({ doc })),
  'frappe.client.insert_many': (stage) => insert(stage, (doc) => stage.call({ docs: [doc] })),
  'frappe.client.save': async (stage) => {
    await insert(stage, (doc) => stage.call({ doc }));
    await update(stage, (name, fields) => stage.call({ doc: { doctype: 'Piece', name, ...fields } }));
  },
  'frappe.client.set_value': (stage) =>
    edit(stage, (name, fieldname) => stage.call({ doctype: 'Piece', name, fieldname })),
  'frappe.client.submit': async ({ call, piece }) => {
    await call({ doc: { doctype: 'Piece' } });
    await call({ doc: { doctype: 'Piece', name: await piece() } });
  },
  'chancery.amend_document': async ({ call, piece }) => {
    for (const docstatus of [0, 1]) {
      await call({ doctype: 'Piece', name: await piece(2), doc: { docstatus } });
    }
  },
  'chancery.load.start': async ({ walk, call }) => {
    await call({
      file: (await walk.make('File', { file_name: 'a.ndjson', content: ' ', is_private: 1 })).name,
    });
  },
  'chancery.load_doctypes': async ({ call }) => {
    for (const description of ['one', 'two']) await call({ doctypes: [{ name: 'Loaded', description }] });
  },
  'chancery.save_design': async ({ call }) => {
    const field = { fieldname: 'a', label: 'A', fieldtype: 'Data' };
    await call({ doctype: 'Designed', definition: { fields: [field] } });
    await call({ doctype: 'Designed', definition: { description: 'two' } });
    await call({ doctype: 'Role', definition: { track_changes: 1 } });
    await call({ doctype: 'Role', definition: { track_changes: 0 } });
  },
  'chancery.system.create_index': async ({ call }) => {
    for (const fields of [['title'], ['owner']]) await call({ doctype: 'Note', fields });
  },
  bulk_update: bulkUpdate('name'),
  'frappe.client.bulk_update': bulkUpdate('docname'),
  'frappe.client.attach_file': async ({ call, piece }) => {
    for (const docstatus of [0, 1] as const) {
      const docname = await piece(docstatus);
      await call({ filename: 'a.txt', filedata: 'x', doctype: 'Piece', docname, docfield: 'scan' });
    }
  },
  'frappe.core.api.file.create_new_folder': ({ call }) => call({ file_name: 'New', folder: 'Home' }),
  'frappe.core.api.file.move_file': async ({ walk, call }) => {
    const file = await walk.make('File', { file_name: 'a.txt', content: 'x' });
    const folder = await walk.make('File', { file_name: 'Moved', is_folder: 1 });
    await call({ file_list: [file.name, folder.name], new_parent: 'Home/Attachments' });
  },
  'frappe.core.api.file.unzip_file': async ({ walk, call }) => {
    const content = (await pack([{ path: 'a.txt', text: 'x' }])).toString('base64');
    const file = { file_name: 'some.zip', content, decode: 1 };
    const made = await walk.site.request('POST', '/api/method/upload_file', { body: file });
    await call({ name: made.body.message.name });
  },
};

const MANAGER = 'frappe.core.page.permission_manager.permission_manager';
const GUESTS = { doctype: 'Piece', parent: 'Piece', role: 'Guest' };
const DESK = { doctype: 'Piece', parent: 'Piece', role: 'Desk User' };

/** Changes of permissions; a doctype whose rows are those of its definition has no others. */
const PERMISSIONS: Readonly<Record<string, Scenario>> = {
  'chancery.permissions.save': async ({ call }) => {
    const states = [null, ['read'], ['read', 'report'], null];
    for (const [index, rights] of states.slice(1).entries()) {
      await call({ changes: [{ ...GUESTS, was: states[index], rights }] });
    }
  },
  [`${MANAGER}.add`]: async ({ walk, call }) => {
    await call(GUESTS);
    await manage(walk, 'remove', GUESTS);
    await manage(walk, 'remove', DESK);
    await call(DESK);
  },
  [`${MANAGER}.update`]: async ({ call }) => {
    for (const [ptype, value] of [
      ['report', 1],
      ['export', 1],
      ['export', 0],
      ['report', 0],
    ]) {
      await call({ ...DESK, ptype, value });
    }
  },
  [`${MANAGER}.remove`]: async ({ walk, call }) => {
    await call(DESK);
    await manage(walk, 'add', DESK);
    await manage(walk, 'add', GUESTS);
    await call(GUESTS);
  },
  [`${MANAGER}.reset`]: async ({ walk, call }) => {
    await manage(walk, 'add', GUESTS);
    await call({ doctype: 'Piece' });
  },
};

async function manage({ site }: WalkSite, method: string, body: Fields): Promise<void> {
  await site.ok('POST', `/api/method/${MANAGER}.${method}`, { body });
}

const WRITING = [...BUILT_INS, ...DOCUMENT_ADDRESSES.map(({ operation }) => operation)].filter(
  ({ effect }) => effect === 'write',
);

describe('events of operations', () => {
  let walk: WalkSite;
  let seen: Set<string> | null = null;
  before(async () => {
    walk = await startWalk('sqlite');
    const listen: CommitListener = async ({ events }) => {
      // A note in a history is a Comment of another kind.
      const own = events.filter(({ doc }) => doc.doctype !== 'Comment' || doc['comment_type'] === 'Comment');
      for (const { name } of own) seen?.add(name);
    };
    Object.assign(walk.site.site, { commitListeners: [...walk.site.site.commitListeners, listen] });
    for (const doctype of DOCTYPES) await walk.make('DocType', doctype);
  });
  after(() => walk.site.stop());

  /** Runs one operation; resolves to its events. */
  async function eventsOf(name: string, run: Scenario): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const send = async (verb: string, path: string, body?: Fields) => {
      seen = found;
      const reply = await walk.site.request(verb, path, body === undefined ? {} : { body });
      seen = null;
      assert.ok(reply.status < 400 && !/"failed(?:_docs)?":\[\{/.test(reply.text), `${name}: ${reply.text}`);
    };
    const piece = async (docstatus = 0) => {
      const made = await walk.make('Piece', { docstatus: Math.min(docstatus, 1) });
      const path = `/api/resource/Piece/${made.name}`;
      if (docstatus === 2) await walk.site.request('PUT', path, { body: { docstatus } });
      return String(made.name);
    };
    await run({ walk, send, piece, call: (args) => send('POST', `/api/method/${name}`, args) });
    return found;
  }

  for (const operation of WRITING) {
    const { name, events = [] } = operation;
    const scenario = SCENARIOS[name] ?? PERMISSIONS[name] ?? (isMethod(operation) ? onWalk(operation) : null);
    if (events === 'any') continue;
    if (scenario) {
      test(name, async () => {
        assert.deepEqual([...(await eventsOf(name, scenario))].sort(), [...new Set(events)].sort());
      });
      continue;
    }
    // Their tests need passwords, codes and cookies; they write to tables of accounts, which have no events.
    test(`${name} declares none`, () => assert.deepEqual(events, []));
  }
});

function isMethod(operation: object): operation is Operation<never> {
  return 'args' in operation;
}

/** Calls a method as the security walk does. */
function onWalk(operation: Operation<never>): Scenario | null {
  const { args, apart } = entryOf(operation) ?? {};
  if (apart !== undefined) return null;
  return async ({ walk, call }) => call((await args?.(walk)) ?? {});
}
