import type { Argument, KnownArguments } from './arguments.ts';
import type { DocField, DocType } from './doctype.ts';
import { fieldtypeOf } from './fieldtypes/fieldtypes.ts';
import { isNumbered } from './numbered.ts';
import { CHILD_COLUMNS } from './standard-fields.ts';
import { typeNames } from './type-names.ts';

const HEADER = `// Made by \`chancery types\` of the doctypes: change those, and run it again.
// Documents as hooks and verbs have them: every field is there, and one without a value is null, 0 or [].
`;

/** Names that the file imports. */
const IMPORTED = ['ChildFields', 'StandardFields'];

/** The interface that lists them all. */
const ALL = 'DocTypes';

/** The interface of method arguments. */
const METHODS = 'Methods';

/**
 * TypeScript declarations: an interface for each doctype, ordered by name, and the arguments of methods. Ends
 * with a line break.
 */
export function renderTypes(
  doctypes: readonly DocType[],
  methods: ReadonlyMap<string, KnownArguments | 'any'> = new Map(),
): string {
  const sorted = doctypes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const names = typeNames(
    sorted.map(({ name }) => name),
    [...IMPORTED, ALL, METHODS],
  );
  const interfaces = sorted.map((doctype) => renderInterface(doctype, names)).join('\n\n');
  const imports = IMPORTED.filter((name) => new RegExp(`\\b${name}\\b`).test(interfaces));
  const head = imports.length === 0 ? 'export {};' : `import type { ${imports.join(', ')} } from 'chancery';`;
  const parts = [
    ...(sorted.length === 0 ? [] : [interfaces, renderMap(sorted, names)]),
    ...(methods.size === 0 ? [] : [renderMethods(methods)]),
  ];
  return `${HEADER}${head}\n${parts.map((part) => `\n${part}\n`).join('')}`;
}

function renderMethods(methods: ReadonlyMap<string, KnownArguments | 'any'>): string {
  const sorted = [...methods].sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    '/** Arguments by method, for `createClient<DocTypes, Methods>` of `chancery/client`. */',
    `export interface ${METHODS} {`,
    ...sorted.map(
      ([name, args]) => `  ${propertyName(name)}: ${args === 'any' ? 'object' : argumentsType(args)};`,
    ),
    '}',
  ].join('\n');
}

function argumentsType(args: KnownArguments): string {
  if (args.size === 0) return 'Record<string, never>';
  const members = [...args].map(([name, { argument, field }]) => {
    const type = argumentType(argument, field);
    const several = type.includes(' ') ? `(${type})[]` : `${type}[]`;
    const value = argument.list ? several : type;
    if (argument.required) return `${name}: ${value}`;
    return `${name}?: ${value === 'unknown' ? value : `${value} | null`}`;
  });
  return `{ ${members.join('; ')} }`;
}

function argumentType({ type }: Argument, field: DocField): string {
  if (type === 'JSON') return 'unknown';
  if (type === 'Check') return 'boolean | 0 | 1';
  if (type === 'Int' || type === 'Float') return 'number';
  return choicesOf(field)
    .filter((choice) => choice !== "''")
    .join(' | ');
}

function renderMap(doctypes: readonly DocType[], names: ReadonlyMap<string, string>): string {
  return [
    '/** Documents by doctype, for `createClient<DocTypes>` of `chancery/client`. */',
    `export interface ${ALL} {`,
    ...doctypes.map(({ name }) => `  ${propertyName(name)}: ${names.get(name)};`),
    '}',
  ].join('\n');
}

function renderInterface(doctype: DocType, names: ReadonlyMap<string, string>): string {
  const base = doctype.istable ? 'ChildFields' : 'StandardFields';
  const lines = doctype.fields.flatMap((field) => renderField(doctype, field, names));
  return [
    `/** ${doctype.name} */`,
    `export interface ${names.get(doctype.name)} extends ${base} {`,
    `  doctype: ${literal(doctype.name)};`,
    ...(isNumbered(doctype)
      ? ['  /** The text of a number, which clients receive. */', '  name: `$' + '{bigint}`;']
      : []),
    ...lines,
    '}',
  ].join('\n');
}

const STANDARD = new Set(CHILD_COLUMNS.map(({ fieldname }) => fieldname));

function renderField(doctype: DocType, field: DocField, names: ReadonlyMap<string, string>): string[] {
  if (STANDARD.has(field.fieldname)) return [];
  const isTable = doctype.tables.includes(field);
  // Layout fields have no value. Computed values may be present.
  if (!isTable && fieldtypeOf(field).column === null) return [];
  const computed = !isTable && !doctype.columnByName.has(field.fieldname);
  const type = isTable ? `${rowType(field, names)}[]` : valueType(field, computed);
  const remark = remarkOf(field);
  return [
    ...(remark ? [`  /** ${remark} */`] : []),
    `  ${propertyName(field.fieldname)}${computed ? '?' : ''}: ${type};`,
  ];
}

// For a child doctype outside of the set, only the standard columns of its rows are known.
function rowType(field: DocField, names: ReadonlyMap<string, string>): string {
  return names.get(field.options) ?? 'ChildFields';
}

function valueType(field: DocField, computed: boolean): string {
  const fieldtype = fieldtypeOf(field);
  const nullable = computed || fieldtype.empty(field) === null ? ' | null' : '';
  if (field.fieldtype === 'Check') return computed ? '0 | 1 | null' : '0 | 1';
  if (fieldtype.column === 'integer' || fieldtype.column === 'real') return `number${nullable}`;
  return `${choicesOf(field).join(' | ')}${nullable}`;
}

// A series is a pattern, and a new one needs no change of the doctype.
function choicesOf(field: DocField): string[] {
  if (field.fieldtype !== 'Select' || field.fieldname === 'naming_series') return ['string'];
  const options = new Set(field.options.split('\n').map((line) => line.trim()));
  options.delete('');
  return options.size === 0 ? ['string'] : [...[...options].map(literal), "''"];
}

function remarkOf(field: DocField): string {
  if (field.fieldtype === 'Link') return `Name of a ${field.options}.`;
  if (field.fieldtype === 'Dynamic Link') return `Name of a document of the doctype in ${field.options}.`;
  const forms = {
    date: 'YYYY-MM-DD',
    datetime: 'YYYY-MM-DD HH:MM:SS.ffffff',
    time: 'HH:MM:SS.ffffff',
  };
  const { column } = fieldtypeOf(field);
  if (column === 'date' || column === 'datetime' || column === 'time') return forms[column];
  return field.fieldtype === 'JSON' ? 'JSON text.' : '';
}

function propertyName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
}

function literal(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}
