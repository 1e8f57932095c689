import type { DocField, DocType } from './doctype.ts';
import { isSetByServer } from './field-rules.ts';
import { fieldtypeOf } from './fieldtypes/fieldtypes.ts';
import { type JsonSchema, readValueSchema, standardSchema, writtenValueSchema } from './json-schema-value.ts';
import { isNumbered } from './numbered.ts';
import { isDefinition } from './other-properties.ts';

/** The context of a doctype's schemas. */
export interface SchemaScope {
  /** Fields to show; others are left out, as if they did not exist. */
  readonly fields: ReadonlySet<string> | 'all';
  /** `$ref` of the schema of a child doctype's rows; undefined when there is none. */
  rowRef(childName: string): string | undefined;
}

const PLACE = ['parent', 'parentfield', 'parenttype'] as const;

/** JSON Schema (2020-12) of documents, or of rows of a child doctype, as the server sends them. */
export function readingSchema(doctype: DocType, scope: SchemaScope): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const { fieldname, kind, field } of doctype.columns) {
    if (field === null) properties[fieldname] = standardSchema(fieldname, kind);
  }
  for (const field of shownFields(doctype, scope)) {
    properties[field.fieldname] = doctype.tables.includes(field)
      ? { ...described(field), type: 'array', items: rowItems(field, scope) }
      : {
          ...described(field),
          ...(isDefinition(doctype) && field.fieldname === 'precision'
            ? { type: 'string' }
            : readValueSchema(field)),
          ...(isSetByServer(field) ? { readOnly: true } : {}),
        };
  }
  if (doctype.istable) for (const key of PLACE) properties[key] = { type: 'string', readOnly: true };
  properties['doctype'] = { const: doctype.name };
  return { title: doctype.name, type: 'object', properties, required: alwaysThere(doctype, properties) };
}

/** JSON Schema of a request that creates a document, or of a row of a child table. */
export function creatingSchema(doctype: DocType, scope: SchemaScope): JsonSchema {
  const fields = writableFields(doctype, scope);
  const properties = writtenProperties(doctype, scope, fields);
  const required = fields.filter(isRequired).map(({ fieldname }) => fieldname);
  if (isPrompted(doctype)) required.push('name');
  return {
    title: doctype.istable ? `${doctype.name}, a row to store` : `${doctype.name}, to create`,
    type: 'object',
    properties: {
      name: {
        type: isNumbered(doctype) ? 'integer' : 'string',
        description: NAME_MEANINGS[namingOf(doctype)],
      },
      ...properties,
      ...(doctype.is_submittable ? { docstatus: { enum: [0, 1], default: 0 } } : {}),
      ...(doctype.istable ? placeProperties() : {}),
    },
    ...(required.length === 0 ? {} : { required }),
  };
}

function placeProperties(): Record<string, JsonSchema> {
  const description = 'Required for a row that is created on its own; in its parent it is ignored.';
  return Object.fromEntries(PLACE.map((key) => [key, { type: 'string', description }]));
}

/** JSON Schema of a request that changes a document: any of its fields. */
export function updatingSchema(doctype: DocType, scope: SchemaScope): JsonSchema {
  return {
    title: `${doctype.name}, to change`,
    type: 'object',
    properties: {
      ...writtenProperties(doctype, scope, writableFields(doctype, scope)),
      modified: {
        type: 'string',
        description:
          'As it was read: the change is refused (TimestampMismatchError) when the document has another by now.',
      },
      ...(doctype.is_submittable
        ? { docstatus: { enum: [0, 1, 2], description: '0 → 1 submits, 1 → 2 cancels.' } }
        : {}),
    },
  };
}

// Layout fields have no value; a controller may compute a virtual field.
function shownFields(doctype: DocType, { fields }: SchemaScope): readonly DocField[] {
  return doctype.fields.filter(
    (field) =>
      (fields === 'all' || fields.has(field.fieldname)) &&
      (doctype.tables.includes(field) || fieldtypeOf(field).column !== null),
  );
}

function writableFields(doctype: DocType, scope: SchemaScope): readonly DocField[] {
  return shownFields(doctype, scope).filter((field) => !isSetByServer(field) && !field.is_virtual);
}

function writtenProperties(
  doctype: DocType,
  scope: SchemaScope,
  fields: readonly DocField[],
): Record<string, JsonSchema> {
  return Object.fromEntries(
    fields.map((field) => [
      field.fieldname,
      doctype.tables.includes(field)
        ? {
            ...described(field),
            type: 'array',
            items: rowItems(field, scope),
            ...(field.reqd ? { minItems: 1 } : {}),
          }
        : { ...described(field), ...writtenValueSchema(field) },
    ]),
  );
}

function rowItems(field: DocField, scope: SchemaScope): JsonSchema {
  const ref = scope.rowRef(field.options);
  return ref === undefined ? { type: 'object' } : { $ref: ref };
}

// Some fields are filled without the client: by a default, by the first option of a Select, or from a link.
function isRequired(field: DocField): boolean {
  if (!field.reqd || field.fetch_from !== '') return false;
  if (field.default !== null && field.default !== '') return false;
  return field.fieldtype === 'Select'
    ? (field.options.split('\n')[0]?.trim() ?? '') === ''
    : field.fieldtype !== 'Check';
}

function alwaysThere(doctype: DocType, properties: Readonly<Record<string, unknown>>): string[] {
  // An unsaved single has no timestamps, and a controller's document may lack them.
  const sure =
    doctype.issingle || doctype.rowsFrom !== 'table'
      ? ['name']
      : doctype.columns.filter(({ field }) => field === null).map(({ fieldname }) => fieldname);
  return [...sure.filter((key) => key in properties), 'doctype'];
}

function described(field: DocField): JsonSchema {
  const parts = [field.label, field.description].filter((text) => text !== '');
  const target =
    field.fieldtype === 'Link'
      ? `Name of a ${field.options}.`
      : field.fieldtype === 'Dynamic Link'
        ? `Name of a document of the doctype in ${field.options}.`
        : '';
  const text = [...parts, target].filter(Boolean).join('. ').replaceAll('..', '.');
  return text === '' ? {} : { description: text };
}

type Naming = 'prompt' | 'given' | 'made';

function namingOf(doctype: DocType): Naming {
  const rule = doctype.autoname.toLowerCase();
  if (rule === 'prompt') return 'prompt';
  return rule === '' || rule === 'hash' || rule === 'uuid' ? 'given' : 'made';
}

function isPrompted(doctype: DocType): boolean {
  return !doctype.istable && !doctype.issingle && namingOf(doctype) === 'prompt';
}

const NAME_MEANINGS: Readonly<Record<Naming, string>> = {
  prompt: 'The name of the document, chosen by whoever creates it.',
  given: 'The name of the document; the server makes one when there is none.',
  made: 'Made by the server from the fields or a series.',
};
