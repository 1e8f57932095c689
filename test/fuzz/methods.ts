/** Arguments for calls of every operation, made from what it declares; by hand only where no made value would hit. */
import fc from 'fast-check';
import type { DocType } from '../../src/doctype/doctype.ts';
import type { JsonSchema } from '../../src/doctype/json-schema-value.ts';
import { LIST_PARAMETERS } from '../../src/query/list-query.ts';
import { documentBody } from './documents.ts';
import { fieldPath, listParameters } from './queries.ts';
import { hostileText, junk, mostly, type Value } from './values.ts';
import { NAMES, type World } from './world.ts';

type Arguments = Readonly<Record<string, Value>>;
type ArgumentsOf = (world: World, doctype: DocType | undefined) => Arguments;
type ValueOf = (world: World, doctype: DocType | undefined) => Value;

const flag: Value = mostly(fc.constantFrom<unknown>(0, 1, true, false, '1', 'True'));
const text: Value = mostly(fc.constantFrom('a', 'b', 'hello'), hostileText);
const number: Value = mostly(fc.constantFrom<unknown>(0, 1, 5, '2', '24', 500, -1));
const user: Value = mostly(
  fc.constantFrom('staff@example.com', 'nobody@example.com', 'Guest', 'Administrator'),
);
const folder: Value = mostly(fc.constantFrom('Home', 'Home/a', 'Home/a/b', 'Home/Attachments'), hostileText);
const timestamp: Value = mostly(fc.constantFrom('2026-01-01 00:00:00', 'yesterday'));

/** Designs that are refused, or planned in vain: the doctypes of the world stay as they are. */
const design: ArgumentsOf = (_world, doctype) => ({
  doctype: mostly(fc.constant(doctype?.name ?? 'Nowhere')),
  definition: mostly(
    fc.record(
      {
        fields: fc.array(fc.record({ fieldname: hostileText, fieldtype: fc.constantFrom('Data', 'x') }), {
          minLength: 1,
          maxLength: 2,
        }),
        istable: fc.constant(2),
      },
      { requiredKeys: ['istable'] },
    ),
  ),
  revision: mostly(fc.constantFrom('', 'x')),
  lose: mostly(fc.array(hostileText, { maxLength: 2 })),
});

export const fileNames = (world: World): Value =>
  mostly(fc.array(fc.oneof(folder, nameIn(world, world.doctype('File'))), { maxLength: 4 }));

const doctypeName: ValueOf = (_world, doctype) => mostly(fc.constant(doctype?.name ?? 'Nowhere'));

function nameIn(world: World, doctype: DocType | undefined): Value {
  return mostly(fc.nat().map((pick) => world.nameOf(doctype?.name ?? 'Leaf', pick)));
}

const nameOf =
  (doctype: string): ValueOf =>
  (world) =>
    mostly(fc.nat().map((pick) => world.nameOf(doctype, pick)));

/** A whole document with its doctype and usually a name. */
function whole(world: World, doctype: DocType | undefined): Value {
  return fc
    .tuple(documentBody(world, doctype), nameIn(world, doctype), fc.boolean())
    .map(([fields, name, isNamed]) => ({
      ...fields,
      doctype: doctype?.name ?? 'Nowhere',
      ...(isNamed ? { name, docname: name } : {}),
      parenttype: 'Order',
      parentfield: 'items',
    }));
}

const field: ValueOf = (world, doctype) => mostly(fieldPath(world, doctype));
const always =
  (value: Value): ValueOf =>
  () =>
    value;

/** What arguments of these names mean everywhere. */
const BY_NAME: Readonly<Record<string, ValueOf>> = {
  doctype: doctypeName,
  dt: doctypeName,
  reference_doctype: doctypeName,
  name: nameIn,
  docname: nameIn,
  dn: nameIn,
  doc_name: nameIn,
  reference_name: nameIn,
  old_name: nameIn,
  new_name: always(mostly(fc.constantFrom(...NAMES))),
  doc: (world, doctype) => mostly(whole(world, doctype)),
  docs: (world, doctype) => mostly(fc.array(mostly(whole(world, doctype)), { maxLength: 4 })),
  names: (world, doctype) => mostly(fc.array(nameIn(world, doctype), { maxLength: 3 })),
  field,
  docfield: field,
  searchfield: field,
  fieldname: (world, doctype) =>
    mostly(
      fc.oneof(fieldPath(world, doctype), fc.array(fieldPath(world, doctype)), documentBody(world, doctype)),
    ),
  fields: (world, doctype) => mostly(fc.array(fieldPath(world, doctype), { maxLength: 3 })),
  filters: always(mostly(fc.constantFrom<unknown>({ name: 'A' }, [['name', '=', 'A']], '[]', '{}'))),
  user: always(user),
  assign_to: always(
    mostly(fc.oneof(user, fc.array(user, { maxLength: 3 }), fc.constant('["staff@example.com"]'))),
  ),
  comment_email: always(user),
  folder: always(folder),
  new_parent: always(folder),
  file_list: fileNames,
  webhook: nameOf('Webhook'),
  client: nameOf('OAuth Client'),
  since: always(timestamp),
  until: always(timestamp),
  // Attempts that are right would sign out who sends the other requests.
  password: always(mostly(fc.constant('wrong'))),
  old_password: always(mostly(fc.constant('wrong'))),
  otp: always(mostly(fc.constant('000000'))),
};

/** Arguments by hand, beside those that are declared. */
const OVERRIDES: Readonly<Record<string, ArgumentsOf>> = {
  login: () => ({
    usr: mostly(fc.constantFrom('Administrator', 'administrator', 'staff@example.com')),
    pwd: mostly(fc.constantFrom('admin-password', 'wrong', 'x'.repeat(600))),
  }),
  'chancery.auth.end_session': () => ({ id: mostly(fc.constant('0'.repeat(20))) }),
  'frappe.core.doctype.user.user.update_password': () => ({
    new_password: mostly(fc.constantFrom('password', 'a lagoon of trombones')),
    key: mostly(fc.constant('0'.repeat(64))),
  }),
  'frappe.client.get_single_value': (world, doctype) => ({
    doctype: mostly(fc.constantFrom('Config', doctype?.name ?? 'Config')),
    field: mostly(fieldPath(world, world.doctype('Config'))),
  }),
  'frappe.client.attach_file': () => ({
    filename: mostly(fc.constantFrom('a.txt', 'b.png')),
    filedata: mostly(fc.constantFrom('hello', 'aGVsbG8=', 'data:text/plain;base64,aGVsbG8=')),
  }),
  'chancery.amend_document': (world, doctype) => ({ doc: mostly(documentBody(world, doctype)) }),
  'chancery.plan_design': design,
  'chancery.save_design': design,
  'chancery.rename_folder': () => ({ name: folder }),
  'frappe.core.api.file.unzip_file': (world) => ({ name: nameIn(world, world.doctype('File')) }),
  'chancery.restore_document': (world) => ({ name: nameIn(world, world.doctype('Deleted Document')) }),
  'frappe.core.doctype.deleted_document.deleted_document.restore': (world) => ({
    name: nameIn(world, world.doctype('Deleted Document')),
  }),
  'chancery.restore_version': (world) => ({ name: nameIn(world, world.doctype('Version')) }),
  'chancery.webhook.resend_many': deliveries,
  'chancery.webhook.cancel_many': deliveries,
  'chancery.webhook.pull': () => ({
    after: mostly(fc.constantFrom<unknown>('0', '7', '99999999999999', 'x')),
  }),
  'chancery.webhook.preview': () => ({
    changes: mostly(
      fc.record(
        {
          webhook_doctype: fc.constantFrom<unknown>('Note', 'Nowhere', 7),
          webhook_docevent: fc.constantFrom<unknown>('on_update', 'on_submit', 'x'),
          request_url: fc.constantFrom<unknown>('https://example.com/{{ doc.name }}', 'x', 1),
          condition: fc.constantFrom<unknown>('doc.title', '(((', 3),
          webhook_json: junk,
          webhook_headers: junk,
          timeout: junk,
        },
        { requiredKeys: [] },
      ),
    ),
  }),
  ...Object.fromEntries(
    ['chancery.webhook.resend', 'chancery.webhook.cancel', 'chancery.webhook.body'].map((name) => [
      name,
      (world: World) => ({ name: nameIn(world, world.doctype('Webhook Request Log')) }),
    ]),
  ),
  'frappe.core.doctype.document_naming_rule.document_naming_rule.update_current': (world) => ({
    name: nameIn(world, world.doctype('Document Naming Rule')),
  }),
  'frappe.client.get_password': () => ({
    fieldname: mostly(fc.constantFrom('password', 'secret', 'new_password')),
  }),
  run_doc_method: runMethod,
  'frappe.handler.run_doc_method': runMethod,
  'fuzz.echo': () => ({ a: junk, b: junk }),
};

function deliveries(): Arguments {
  return {
    filters: mostly(fc.oneof(junk, fc.constantFrom({ status: 'Exhausted' }, '[["attempt", ">", 0]]'))),
  };
}

function runMethod(world: World, doctype: DocType | undefined): Arguments {
  return {
    method: mostly(
      fc.constantFrom('submit', 'cancel', 'rename', 'add_comment', 'total', 'echo', 'whole', 'load'),
    ),
    args: mostly(
      fc.record({ name: mostly(fc.constantFrom(...NAMES)), text, merge: flag }, { requiredKeys: [] }),
    ),
    docs: mostly(whole(world, doctype)),
  };
}

/** Methods that are called by hand-made arguments, for the test that there is none too many. */
export const OVERRIDDEN: readonly string[] = Object.keys(OVERRIDES);

function declared(world: World, name: string, doctype: DocType | undefined): Arguments {
  const { args = {} } = world.operations.get(name) ?? {};
  if (args === 'any') return {};
  const made = Object.fromEntries(
    Object.entries(args).map(([key, { schema }]) => [key, inputOf(world, key, schema, doctype)]),
  );
  // A list has parameters that depend on each other; they are spread over the others when the arguments are made.
  if (!('order_by' in args)) return made;
  const rest = Object.entries(made).filter(([key]) => !LIST_PARAMETERS.has(key));
  return { ...Object.fromEntries(rest), '...': listParameters(world, doctype) };
}

/** A value of that name, or of that schema. */
export function inputOf(world: World, name: string, schema: JsonSchema, doctype?: DocType): Value {
  return BY_NAME[name]?.(world, doctype) ?? byType(schema);
}

function byType(schema: JsonSchema): Value {
  const types = [schema['type']].flat();
  if ('const' in schema) return mostly(fc.constant(schema['const']));
  if (Array.isArray(schema['enum'])) return mostly(fc.constantFrom<unknown>(...schema['enum']));
  if (types.includes('boolean')) return flag;
  if (types.includes('integer') || types.includes('number')) return number;
  if (types.includes('array')) return mostly(fc.array(text, { maxLength: 3 }));
  return types.includes('string') ? text : junk;
}

/** Arguments of a method as one object; some are left out now and then. */
export function argumentsOf(
  world: World,
  name: string,
  doctype: DocType | undefined,
): fc.Arbitrary<Record<string, unknown>> {
  if (!world.operations.has(name)) return fc.dictionary(hostileText, junk, { maxKeys: 4 });
  const args = { ...declared(world, name, doctype), ...OVERRIDES[name]?.(world, doctype) };
  const keys = Object.keys(args);
  return fc
    .tuple(fc.record(args), fc.subarray(keys), fc.integer({ min: 0, max: 9 }))
    .map(([values, kept, chance]) => {
      const chosen = chance < 9 ? keys : kept;
      const { '...': spread, ...plain } = Object.fromEntries(chosen.map((key) => [key, values[key]]));
      return { ...(typeof spread === 'object' ? spread : {}), ...plain };
    });
}
