import { LENIENT } from '../../doctype/definition.ts';
import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { mergeDefinition, NO_CUSTOMIZATIONS } from '../../doctype/merge-definition.ts';
import type { Note } from '../../doctype/note.ts';
import { parseDoctype } from '../../doctype/parse-doctype.ts';
import { buildRegistry } from '../../doctype/registry.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { DumpTable } from '../dump/source.ts';
import { parseBuiltIn, type SourceDefinition } from './built-in.ts';
import { MAPPED, whyLeftBehind } from './left-behind.ts';
import type { SmallRow, SourceSchema } from './read-schema.ts';

export interface LeftCustomization {
  readonly kind: string;
  readonly doctype: string;
  readonly names: readonly string[];
}

/** The doctypes of a source, as this server would have them. */
export interface SourceDefinitions {
  /** To be created, in the form of files. */
  readonly created: readonly SourceDefinition[];
  /** Customizations of created doctypes, and of built-in ones where they fit. */
  readonly customFields: readonly SmallRow[];
  readonly propertySetters: readonly SmallRow[];
  readonly permissions: readonly SmallRow[];
  /** All doctypes together: the built-in ones and the created ones with their customizations. */
  readonly registry: DoctypeRegistry;
  /** What is odd about the created ones. */
  readonly notes: readonly Note[];
  /** Definitions that this server cannot have. */
  readonly refused: readonly Note[];
  /** Customizations of built-in doctypes that stay behind. */
  readonly left: readonly LeftCustomization[];
}

/** Builds the definitions that an import creates beside the built-in doctypes. */
export function sourceDefinitions(
  schema: Pick<SourceSchema, 'rows' | 'tables'>,
  builtIn: readonly SourceDefinition[],
): SourceDefinitions {
  const known = new Set(builtIn.map(({ name }) => name));
  const folded = new Set(builtIn.map(({ name }) => name.toLowerCase()));
  const fields = Map.groupBy(schema.rows('DocField'), ({ parent }) => parent);
  const permissions = Map.groupBy(schema.rows('DocPerm'), ({ parent }) => parent);
  const customFields = customizing(schema, 'Custom Field', 'dt');
  const propertySetters = customizing(schema, 'Property Setter', 'doc_type');
  const custom = customizing(schema, 'Custom DocPerm', 'parent');
  const parsed: DocType[] = [];
  const created: SourceDefinition[] = [];
  const refused: Note[] = [];
  for (const row of schema.rows('DocType')) {
    const name = String(row['name']);
    if (known.has(name) || whyLeftBehind(name) !== null || row['is_virtual'] === 1) continue;
    if (folded.has(name.toLowerCase())) {
      refused.push({ doctype: name, message: 'this server has a doctype whose name differs in case only' });
      continue;
    }
    const definition = {
      ...withoutStamps(row),
      name,
      fields: inOrder(fields.get(name)).map((field) => withLength(field, schema.tables.get(`tab${name}`))),
      permissions: inOrder(permissions.get(name)),
    };
    const merged = mergeDefinition(definition, {
      fields: customFields.get(name) ?? [],
      setters: propertySetters.get(name) ?? [],
      permissions: custom.get(name) ?? [],
    });
    try {
      parsed.push(parseDoctype(merged, '', LENIENT));
      created.push(definition);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused.push({ doctype: name, message: error.message });
    }
  }
  const there = new Set(created.map(({ name }) => name));
  const added = new Map(builtIn.map((definition) => [definition.name, addedTo(definition, customFields)]));
  const own = builtIn.map((definition) =>
    parseBuiltIn(
      mergeDefinition(definition, { ...NO_CUSTOMIZATIONS, fields: added.get(definition.name) ?? [] }),
    ),
  );
  const registry = buildRegistry([...own, ...parsed], 0);
  return {
    created,
    customFields: [...kept(customFields, there), ...[...added.values()].flat()],
    propertySetters: kept(propertySetters, there),
    permissions: kept(custom, there),
    registry,
    notes: registry
      .all()
      .filter(({ name }) => there.has(name))
      .flatMap(({ notes }) => notes),
    refused,
    left: [
      ...leftOf('Custom Field', customFields, known, added),
      ...leftOf('Property Setter', propertySetters, known),
      ...leftOf('Custom DocPerm', custom, known),
    ],
  };
}

/** Custom fields of a built-in doctype whose rows come, without those that it has itself. */
function addedTo(
  definition: SourceDefinition,
  customFields: ReadonlyMap<string, readonly SmallRow[]>,
): readonly SmallRow[] {
  const rows = MAPPED.has(definition.name) ? (customFields.get(definition.name) ?? []) : [];
  const own = new Set(parseBuiltIn(definition).fields.map(({ fieldname }) => fieldname.toLowerCase()));
  return rows.filter((row) => !own.has(String(row['fieldname']).toLowerCase()));
}

function leftOf(
  kind: string,
  rows: ReadonlyMap<string, readonly SmallRow[]>,
  builtIn: ReadonlySet<string>,
  added: ReadonlyMap<string, readonly SmallRow[]> = new Map(),
): LeftCustomization[] {
  return [...rows].flatMap(([doctype, list]) => {
    const names = list
      .filter((row) => added.get(doctype)?.includes(row) !== true)
      .map(({ name }) => String(name));
    return builtIn.has(doctype) && names.length > 0 ? [{ kind, doctype, names }] : [];
  });
}

/** A column of Frappe may be wider than its field says; a text must not be refused for that. */
function withLength(field: SmallRow, table: DumpTable | undefined): SmallRow {
  if (field['fieldtype'] !== 'Data' || Number(field['length'] ?? 0) > 0) return field;
  const { type = '' } = table?.columns.find(({ name }) => name === field['fieldname']) ?? {};
  const [, width] = /^(?:varchar|character varying)\((\d+)\)/.exec(type) ?? [];
  const length = width === undefined && /text/.test(type) ? MOST_LENGTH : Number(width ?? 0);
  return length > LIMITS.dataLength ? { ...field, length: Math.min(length, MOST_LENGTH) } : field;
}

/** The greatest length of a Data field. */
const MOST_LENGTH = 1_000;

function customizing(
  schema: Pick<SourceSchema, 'rows'>,
  doctype: string,
  of: string,
): ReadonlyMap<string, readonly SmallRow[]> {
  return Map.groupBy(schema.rows(doctype), (row) => String(row[of]));
}

function kept(rows: ReadonlyMap<string, readonly SmallRow[]>, there: ReadonlySet<string>): SmallRow[] {
  return [...rows].flatMap(([name, list]) => (there.has(name) ? list : []));
}

function inOrder(rows: readonly SmallRow[] = []): SmallRow[] {
  const sorted = rows.toSorted((one, other) => Number(one['idx'] ?? 0) - Number(other['idx'] ?? 0));
  return sorted.map(withoutStamps);
}

const STAMPS = new Set([
  ...['name', 'owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx'],
  ...[
    'parent',
    'parentfield',
    'parenttype',
    '_user_tags',
    '_comments',
    '_assign',
    '_liked_by',
    '_last_update',
  ],
]);

function withoutStamps(row: SmallRow): SmallRow {
  return Object.fromEntries(Object.entries(row).filter(([key]) => !STAMPS.has(key)));
}
