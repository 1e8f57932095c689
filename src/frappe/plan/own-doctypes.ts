import type { DocField, DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { recordsIn } from '../../kernel/value.ts';
import type { SmallRow } from './read-schema.ts';
import type { SourceDefinitions } from './source-definitions.ts';

/** A doctype of the source that this site has already. It stays as it is. */
export interface OwnDoctype {
  readonly doctype: string;
  /** Why it cannot take documents of the source; null when it can. */
  readonly clash: string | null;
  /** Fields of the source that it cannot hold: their values stay behind. */
  readonly left: readonly LeftField[];
  /** A single stays as it is, with all of its values. */
  readonly issingle: boolean;
}

export interface LeftField {
  readonly field: string;
  readonly reason: string;
  /** The doctype of its rows in the source; null unless it is a table. */
  readonly table: string | null;
}

type Definitions = Pick<SourceDefinitions, 'created' | 'customFields' | 'registry'>;

/**
 * The doctypes of a source that this site has already. Those of `made` came with an earlier import of the same source;
 * they count only where they lack a field. Built-in ones count where they have another Custom Field of the same name.
 */
export function ownDoctypes(
  here: DoctypeRegistry,
  { created, customFields, registry }: Definitions,
  made: ReadonlySet<string>,
): OwnDoctype[] {
  const isCreated = new Set(created.map(({ name }) => name));
  const custom = Map.groupBy(customFields, ({ dt }) => String(dt));
  const found = created.flatMap((definition) => {
    const { name } = definition;
    const own = here.find(name);
    if (!own) return [];
    const there = registry.get(name);
    const clash = clashOf(there, own);
    const isMade = made.has(name);
    // An import that was interrupted has not customized it yet.
    const first = new Set(recordsIn(definition['fields']).map(({ fieldname }) => fieldname));
    const left = storedFields(there).flatMap((field) => {
      const known = own.fieldByName.get(field.fieldname);
      const isKept = isMade && (known !== undefined || !first.has(field.fieldname));
      return isKept ? [] : unfit(field, known);
    });
    const found = { doctype: name, clash, left, issingle: there.issingle };
    return isMade && clash === null && left.length === 0 ? [] : [found];
  });
  const builtIn = [...custom].filter(([name]) => !isCreated.has(name));
  return [
    ...found,
    ...builtIn.flatMap(([name, rows]) => ownFields(here.find(name), registry.get(name), rows)),
  ];
}

function ownFields(here: DocType | undefined, there: DocType, rows: readonly SmallRow[]): OwnDoctype[] {
  const left = rows.flatMap(({ fieldname }) => {
    const field = there.fieldByName.get(String(fieldname));
    const known = here?.fieldByName.get(String(fieldname));
    return field && known ? unfit(field, known) : [];
  });
  return left.length === 0 ? [] : [{ doctype: there.name, clash: null, left, issingle: false }];
}

/** What of a source does not fit a doctype of this site, in words. */
export function describeOwn({ doctype, clash, left, issingle }: OwnDoctype): string {
  if (clash !== null) return `${doctype} (${clash})`;
  if (issingle) return `${doctype} (a single: it stays as it is)`;
  if (left.length === 0) return `${doctype} (all fields fit)`;
  const fields = left.slice(0, LIMITS.importExamples).map(({ field, reason }) => `${field}: ${reason}`);
  const more = left.length > fields.length ? [`${left.length - fields.length} more fields`] : [];
  return `${doctype} (${[...fields, ...more].join('; ')})`;
}

/** By doctype, the fields whose values stay behind, with the reasons. */
export type LeftFields = ReadonlyMap<string, ReadonlyMap<string, LeftField>>;

export function leftFields(own: readonly OwnDoctype[]): LeftFields {
  return new Map(own.map(({ doctype, left }) => [doctype, new Map(left.map((one) => [one.field, one]))]));
}

/** Singles of a source that stay behind, because this site has them. */
export function keptSingles(own: readonly OwnDoctype[]): ReadonlySet<string> {
  return new Set(own.filter(({ issingle }) => issingle).map(({ doctype }) => doctype));
}

const KINDS = [
  ['issingle', 'a single'],
  ['istable', 'a child table'],
  ['is_virtual', 'virtual'],
] as const;

function clashOf(there: DocType, here: DocType): string | null {
  if (here.app !== '') return `the app ${here.app} defines it`;
  const kind = KINDS.find(([flag]) => there[flag] !== here[flag]);
  if (kind) return `it is ${here[kind[0]] ? '' : 'not '}${kind[1]} here`;
  const isNumbered = ({ autoname }: DocType) => autoname === 'autoincrement';
  if (isNumbered(there) === isNumbered(here)) return null;
  return `names are ${isNumbered(here) ? 'numbers' : 'texts'} here`;
}

/** Fields with values: columns and tables. */
function storedFields({ columns, tables }: DocType): readonly DocField[] {
  return [...columns.flatMap(({ field }) => field ?? []), ...tables];
}

/** Fieldtypes that take any text. */
const TEXTS: ReadonlySet<string> = new Set([
  ...['Data', 'Small Text', 'Text', 'Long Text', 'Code', 'Text Editor', 'HTML Editor', 'Markdown Editor'],
  ...['Read Only', 'Select'],
]);
const NUMBERS: ReadonlySet<string> = new Set(['Float', 'Currency', 'Percent']);
const WHOLE: ReadonlySet<string> = new Set(['Int', 'Long Int', 'Check']);
const TABLES: ReadonlySet<string> = new Set(['Table', 'Table MultiSelect']);
/** Fieldtypes whose options say what a value means. */
const POINTING: ReadonlySet<string> = new Set(['Link', 'Dynamic Link', ...TABLES]);

function unfit(there: DocField, here: DocField | undefined): LeftField[] {
  if (here && !here.is_virtual && isFit(there, here)) return [];
  const table = TABLES.has(there.fieldtype) ? there.options : null;
  const reason = !here ? 'no such field here' : `${described(here)} here, ${described(there)} there`;
  return [{ field: there.fieldname, reason, table }];
}

function described({ fieldtype, options, is_virtual: isVirtual }: DocField): string {
  return `${isVirtual ? 'virtual ' : ''}${fieldtype}${POINTING.has(fieldtype) ? ` to ${options}` : ''}`;
}

function isFit(there: DocField, here: DocField): boolean {
  const [from, to] = [there.fieldtype, here.fieldtype];
  if (POINTING.has(to)) {
    return (from === to || (TABLES.has(from) && TABLES.has(to))) && there.options === here.options;
  }
  if (from === to) return true;
  if (TABLES.has(from) || from === 'Password') return false;
  return TEXTS.has(to) || (NUMBERS.has(to) && (NUMBERS.has(from) || WHOLE.has(from)));
}
