import fc from 'fast-check';
import type { DocField, DocType } from '../../src/doctype/doctype.ts';
import { FIELDTYPES } from '../../src/doctype/fieldtypes/fieldtypes.ts';
import { fieldPath } from './queries.ts';
import { fieldValue, hostileText, junk, mostly, rareJunk, type Value } from './values.ts';
import { NAMES, type World } from './world.ts';

type Body = fc.Arbitrary<Record<string, unknown>>;

/** Fields of a document of this doctype, and what clients send beside them. */
export function documentBody(world: World, doctype: DocType | undefined): Body {
  if (!doctype) return fc.dictionary(hostileText, junk, { maxKeys: 5 });
  const general = generalBody(world, doctype);
  const special = SPECIAL[doctype.name]?.(world);
  return special ? fc.oneof({ weight: 3, arbitrary: special }, { weight: 1, arbitrary: general }) : general;
}

function generalBody(world: World, doctype: DocType): Body {
  const fields = doctype.fields.filter((field) => field.fieldname !== '');
  const some = someOf(fields, 10);
  const reqd = fields.filter((field) => field.reqd);
  const isMandatory = fc.integer({ min: 0, max: 7 }).map((chance) => chance > 0);
  return fc
    .tuple(some, isMandatory, beside(world, doctype))
    .chain(([chosen, all, more]) =>
      fc
        .record(valuesOf(world, all ? [...chosen, ...reqd] : chosen))
        .map((values) => ({ ...values, ...more })),
    );
}

function someOf<T>(all: readonly T[], most: number): fc.Arbitrary<T[]> {
  return fc.subarray([...all], { maxLength: Math.min(most, all.length) });
}

function valuesOf(world: World, fields: readonly DocField[]): Record<string, Value> {
  return Object.fromEntries(fields.map((field) => [field.fieldname, fieldValue(world, field)]));
}

// What the server owns, what asks for a name or a state, and what means nothing.
function beside(world: World, doctype: DocType): Body {
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<unknown>(...NAMES) },
    { weight: 2, arbitrary: fc.nat({ max: 9_999 }).map((number) => `N-${number}`) },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: junk },
  );
  const named = doctype.autoname.toLowerCase().startsWith('prompt') ? ['name'] : [];
  return fc
    .record(
      {
        name,
        __newname: name,
        docstatus: mostly(fc.constantFrom<unknown>(0, 1, 2, '1', 3)),
        modified: mostly(fc.constantFrom('2026-01-01 00:00:00.000000', '2026-01-01 00:00:00')),
        owner: mostly(fc.constant('staff@example.com')),
        creation: junk,
        idx: junk,
        parent: mostly(fc.nat().map((pick) => world.nameOf('Order', pick))),
        parenttype: mostly(fc.constantFrom('Order', 'Everything')),
        parentfield: mostly(fc.constantFrom('items', 'table')),
        doctype: mostly(fc.constant(doctype.name)),
        amended_from: fc.nat().map((pick) => world.nameOf(doctype.name, pick)),
        _user_tags: junk,
        _comments: junk,
        data: rareJunk,
        flags: junk,
        constructor: junk,
        unknown_field: rareJunk,
      },
      { requiredKeys: [] },
    )
    .chain((all) => {
      // Most documents carry none or one of these; names that a doctype asks for stay.
      const keys = Object.keys(all);
      return fc.tuple(someOf(keys, 2), fc.integer({ min: 0, max: 9 }), name).map(([kept, chance, given]) => ({
        ...(chance < 9 ? Object.fromEntries(named.map((key) => [key, given])) : {}),
        ...Object.fromEntries(chance < 3 ? kept.map((key) => [key, all[key as keyof typeof all]]) : []),
      }));
    });
}

const FIELDNAMES = ['a', 'b', 'c', 'amount', 'rows', 'up', 'd', 'name', 'select', 'A b', 'x'.repeat(62)];
const TYPES = [...FIELDTYPES.keys()];

function definedField(world: World): Body {
  const flag = fc.constantFrom<unknown>(0, 1);
  return fc
    .record({
      fieldname: mostly(
        fc.constantFrom(...FIELDNAMES.slice(0, 7)),
        fc.oneof(fc.constantFrom(...FIELDNAMES), junk),
      ),
      fieldtype: mostly(fc.constantFrom(...TYPES)),
      link: fc.nat(),
    })
    .chain(({ link, ...field }) =>
      fc
        .record(
          {
            label: mostly(fc.constantFrom('A', 'Title')),
            options: mostly(fc.constant(optionsOf(world, field.fieldtype, link))),
            default: mostly(fc.constantFrom<unknown>('1', 'Today', 'x', '', '__user')),
            reqd: flag,
            unique: flag,
            search_index: flag,
            read_only: flag,
            enforce_on_server: flag,
            set_only_once: flag,
            non_negative: flag,
            is_virtual: flag,
            in_list_view: flag,
            length: mostly(fc.constantFrom<unknown>(0, 5, 140, 1_000)),
            precision: mostly(fc.constantFrom<unknown>(0, 2, '', '9')),
            permlevel: mostly(fc.constantFrom<unknown>(0, 1, 9)),
            fetch_from: mostly(fc.constantFrom('up.title', 'a.b')),
            mandatory_depends_on: mostly(fc.constantFrom('eval:doc.a == 1', 'title')),
            depends_on: junk,
            unknown: junk,
          },
          { requiredKeys: ['options'] },
        )
        .chain((more) => {
          const keys = Object.keys(more).filter((key) => key !== 'options');
          return someOf(keys, 3).map((kept) => ({
            ...field,
            options: more.options,
            ...Object.fromEntries(kept.map((key) => [key, more[key as keyof typeof more]])),
          }));
        }),
    );
}

function optionsOf(world: World, fieldtype: unknown, pick: number): string {
  if (fieldtype === 'Link') return world.nameOf('DocType', pick);
  if (fieldtype === 'Dynamic Link') return 'up';
  if (fieldtype === 'Select') return 'Open\nClosed';
  if (fieldtype === 'Table') return pick % 4 === 0 ? world.nameOf('DocType', pick) : 'Row';
  if (fieldtype === 'Table MultiSelect') return 'Pick';
  return '';
}

const AUTONAMES = [
  'Prompt',
  'hash',
  'field:title',
  'T-.####',
  'format:{title}-{##}',
  'naming_series:',
  'autoincrement',
  '',
];

// Two that other properties can name, and some whose names are usually different.
function definedFields(world: World): fc.Arbitrary<unknown[]> {
  const some = fc.uniqueArray(definedField(world), {
    maxLength: 6,
    selector: ({ fieldname }) => JSON.stringify(fieldname),
  });
  return fc
    .tuple(some, mostly(fc.constant([{ fieldname: 'title', fieldtype: 'Data' }]), fc.constant([])))
    .map(([fields, first]) => [...(Array.isArray(first) ? first : []), ...fields]);
}

/** A definition of a doctype, new or changed; children, singles, trees and virtual ones among them. */
function definition(world: World): Body {
  const flag = fc.constantFrom<unknown>(0, 0, 0, 0, 1);
  const right = fc.constantFrom<unknown>(0, 1);
  return fc
    .record(
      {
        name: mostly(fc.nat({ max: 11 }).map((number) => `Made ${number}`)),
        fields: mostly(definedFields(world), rareJunk),
        permissions: mostly(
          fc.array(
            fc.record({
              role: mostly(fc.constantFrom('Staff', 'System Manager', 'All', 'Guest')),
              read: right,
              write: right,
              create: right,
              if_owner: right,
              permlevel: mostly(fc.constantFrom<unknown>(0, 1)),
            }),
            { maxLength: 3 },
          ),
        ),
        autoname: mostly(fc.constantFrom(...AUTONAMES)),
        istable: flag,
        issingle: flag,
        is_submittable: flag,
        is_tree: flag,
        is_virtual: flag,
        track_changes: flag,
        allow_rename: flag,
        title_field: mostly(fc.constantFrom('title')),
        search_fields: mostly(fc.constantFrom('title', 'name')),
        sort_field: mostly(fc.constantFrom('title', 'modified')),
        sort_order: mostly(fc.constantFrom('ASC', 'DESC')),
        max_attachments: mostly(fc.constantFrom<unknown>(0, 1)),
        other: junk,
      },
      { requiredKeys: ['name', 'fields'] },
    )
    .chain((all) =>
      someOf(
        Object.keys(all).filter((key) => key !== 'name' && key !== 'fields'),
        5,
      ).map((kept) => ({
        name: all.name,
        fields: all.fields,
        ...Object.fromEntries(kept.map((key) => [key, all[key as keyof typeof all]])),
      })),
    );
}

function customField(world: World): Body {
  return fc.tuple(madeDoctype(world), definedField(world)).map(([dt, field]) => ({ dt, ...field }));
}

function madeDoctype(world: World): Value {
  return mostly(
    fc.oneof(
      fc.constantFrom('Leaf', 'Order', 'Row', 'Everything'),
      fc.nat().map((pick) => world.nameOf('DocType', pick)),
    ),
  );
}

const PROPERTIES = [
  'reqd',
  'hidden',
  'label',
  'options',
  'default',
  'length',
  'unique',
  'fieldtype',
  'permlevel',
];

function propertySetter(world: World): Body {
  return fc.record({
    doc_type: madeDoctype(world),
    doctype_or_field: mostly(fc.constantFrom('DocField', 'DocType')),
    field_name: mostly(fieldPath(world, world.doctype('Leaf'))),
    property: mostly(fc.constantFrom(...PROPERTIES, 'title_field', 'autoname', 'sort_field')),
    value: mostly(fc.constantFrom<unknown>('1', '0', 'title', 'Open\nClosed', 'hash')),
  });
}

function webhook(world: World): Body {
  return fc.record(
    {
      name: mostly(fc.nat({ max: 99 }).map((number) => `hook-${number}`)),
      webhook_doctype: madeDoctype(world),
      webhook_docevent: mostly(
        fc.constantFrom('after_insert', 'on_update', 'on_trash', 'on_submit', 'on_change'),
      ),
      request_url: mostly(fc.constantFrom('http://127.0.0.1:9/hook', 'https://example.com/{{ doc.name }}')),
      condition: mostly(
        fc.constantFrom('doc.title == "a"', 'doc.items[0].qty > 1', 'len(doc.title) > 2', 'doc.x'),
      ),
      enabled: mostly(fc.constantFrom<unknown>(0, 1)),
      webhook_data: mostly(
        fc.array(fc.record({ fieldname: mostly(fc.constantFrom('name', 'title', 'items')), key: junk }), {
          maxLength: 3,
        }),
      ),
      webhook_headers: mostly(
        fc.array(fc.record({ key: mostly(fc.constant('X-A')), value: junk }), { maxLength: 3 }),
      ),
      webhook_json: mostly(fc.constantFrom('{"a": "{{ doc.name }}"}', '[1]')),
    },
    { requiredKeys: ['webhook_doctype', 'webhook_docevent', 'request_url'] },
  );
}

function user(): Body {
  return fc.record(
    {
      email: mostly(fc.nat({ max: 99 }).map((number) => `user${number}@example.com`)),
      first_name: mostly(fc.constantFrom('Ann', '')),
      roles: mostly(fc.array(fc.record({ role: mostly(fc.constantFrom('Staff', 'All')) }), { maxLength: 3 })),
      enabled: mostly(fc.constantFrom<unknown>(0, 1)),
      username: mostly(fc.nat({ max: 9 }).map((number) => `u${number}`)),
    },
    { requiredKeys: ['email', 'first_name'] },
  );
}

function file(world: World): Body {
  return fc.record(
    {
      file_name: mostly(fc.constantFrom('a.txt', 'b.png', 'c d.svg', 'folder')),
      content: mostly(fc.constantFrom('hello', 'aGVsbG8=')),
      decode: mostly(fc.constantFrom<unknown>(0, 1)),
      file_url: mostly(fc.nat().map((pick) => world.oneOf(world.files, pick))),
      is_private: mostly(fc.constantFrom<unknown>(0, 1)),
      is_folder: mostly(fc.constantFrom<unknown>(0, 1)),
      folder: mostly(fc.nat().map((pick) => world.nameOf('File', pick))),
      attached_to_doctype: mostly(fc.constantFrom('Leaf', 'Order')),
      attached_to_name: mostly(fc.nat().map((pick) => world.nameOf('Leaf', pick))),
      attached_to_field: junk,
    },
    { requiredKeys: ['file_name'] },
  );
}

function namingRule(world: World): Body {
  return fc.record(
    {
      document_type: madeDoctype(world),
      prefix: mostly(fc.constantFrom('R-', '', 'A.####', 'R-.YYYY.-')),
      prefix_digits: mostly(fc.constantFrom<unknown>(0, 3, 50, -1)),
      priority: mostly(fc.constantFrom<unknown>(0, 2)),
      conditions: mostly(
        fc.array(
          fc.record({
            field: mostly(fc.constantFrom('title', 'docstatus', 'items')),
            condition: mostly(fc.constantFrom('=', '!=', '>', '<', '>=', '<=')),
            value: junk,
          }),
          { maxLength: 2 },
        ),
      ),
    },
    { requiredKeys: ['document_type', 'prefix', 'prefix_digits'] },
  );
}

const SPECIAL: Readonly<Record<string, (world: World) => Body>> = {
  DocType: definition,
  'Custom Field': customField,
  'Property Setter': propertySetter,
  Webhook: webhook,
  User: user,
  File: file,
  'Document Naming Rule': namingRule,
};
