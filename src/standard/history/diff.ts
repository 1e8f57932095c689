import type { ChildRow, DocField, DocType, DoctypeRegistry, Document } from '../../doctype/doctype.ts';
import { storedRows } from '../../document/children.ts';
import { rowsOf, scalarOf } from '../../document/document.ts';
import { layoutOf } from '../../document/layout.ts';
import { memo } from '../../kernel/memo.ts';
import type { FieldValue } from '../../kernel/value.ts';

/** A field with its values before and after, as text; null for an unset value. */
export type ChangedField = [fieldname: string, before: FieldValue, after: FieldValue];

/** The changes of a save, in the shape of `Version.data` on the wire. */
export interface Difference {
  readonly added: [table: string, row: Record<string, FieldValue>][];
  readonly removed: [table: string, row: Record<string, FieldValue>][];
  readonly changed: ChangedField[];
  readonly row_changed: [table: string, index: number, rowName: string, changed: ChangedField[]][];
}

/**
 * The differences between two states of a document, by the permlevels required to see them: `''` for every
 * reader, `'1'`, or `'1,2'` for a field of level 2 in a table of level 1. Empty without differences. Ignores
 * Password fields and the order of rows.
 */
export function differences(
  registry: DoctypeRegistry,
  doctype: DocType,
  before: Document,
  after: Document,
): ReadonlyMap<string, Difference> {
  const found = new Map<string, Difference>();
  const at = (levels: string): Difference => {
    let difference = found.get(levels);
    if (!difference) {
      difference = { added: [], removed: [], changed: [], row_changed: [] };
      found.set(levels, difference);
    }
    return difference;
  };
  for (const [levels, fields] of fieldsByLevels(doctype, 0)) {
    const changed = changedFields(fields, before, after);
    if (changed.length > 0) at(levels).changed.push(...changed);
  }
  if (before.docstatus !== after.docstatus) {
    at('').changed.push(['docstatus', before.docstatus, after.docstatus]);
  }
  for (const table of doctype.tables) compareRows(registry.get(table.options), table, before, after, at);
  return found;
}

function compareRows(
  child: DocType,
  table: DocField,
  before: Document,
  after: Document,
  at: (levels: string) => Difference,
): void {
  const { fieldname } = table;
  // A save that leaves a table as it is shares its rows.
  if (before[fieldname] === after[fieldname]) return;
  const gone = storedRows(before, fieldname);
  const parts = fieldsByLevels(child, table.permlevel);
  // Added and removed rows need only the level of the table.
  const own = levelsOf(table.permlevel);
  for (const [index, row] of rowsOf(after, fieldname).entries()) {
    const was = gone.get(row.name);
    gone.delete(row.name);
    for (const [levels, fields] of parts) {
      if (was) {
        const changed = changedFields(fields, was, row);
        if (changed.length > 0) at(levels).row_changed.push([fieldname, index, row.name, changed]);
      } else {
        const shown = shownRow(row, fields, levels === own);
        if (shown) at(levels).added.push([fieldname, shown]);
      }
    }
  }
  for (const row of gone.values()) {
    for (const [levels, fields] of parts) {
      const shown = shownRow(row, fields, levels === own);
      if (shown) at(levels).removed.push([fieldname, shown]);
    }
  }
}

/**
 * Comparable fields, grouped by the levels they need inside a table of `level`. The table's own group is
 * always present.
 */
function fieldsByLevels(doctype: DocType, level: number): ReadonlyMap<string, readonly string[]> {
  const known = knownGroups(doctype);
  const groups = known.get(level) ?? groupFields(doctype, level);
  known.set(level, groups);
  return groups;
}

const knownGroups = memo((_: DocType) => new Map<number, ReadonlyMap<string, readonly string[]>>());

function groupFields(doctype: DocType, level: number): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>([[levelsOf(level), []]]);
  for (const { fieldname, field } of layoutOf(doctype).fields) {
    if (field.fieldtype === 'Password') continue;
    const levels = levelsOf(level, field.permlevel);
    const group = groups.get(levels);
    if (group) group.push(fieldname);
    else groups.set(levels, [fieldname]);
  }
  return groups;
}

/** Permlevels as text: distinct, ascending, without 0. */
export function levelsOf(...levels: readonly number[]): string {
  return [...new Set(levels.filter((level) => level > 0))].sort((left, right) => left - right).join();
}

function changedFields(
  fields: readonly string[],
  before: Document | ChildRow,
  after: Document | ChildRow,
): ChangedField[] {
  const changed: ChangedField[] = [];
  for (const fieldname of fields) {
    const [was, is] = [scalarOf(before, fieldname), scalarOf(after, fieldname)];
    // Unset and empty values look the same to people.
    if (was === is || ((was ?? '') === '' && (is ?? '') === '')) continue;
    changed.push([fieldname, text(was), text(is)]);
  }
  return changed;
}

function text(value: FieldValue): FieldValue {
  return value === null ? null : String(value);
}

function shownRow(
  row: ChildRow,
  fields: readonly string[],
  always: boolean,
): Record<string, FieldValue> | null {
  const shown: Record<string, FieldValue> = { name: row.name, idx: row.idx };
  let holds = false;
  for (const fieldname of fields) {
    const value = scalarOf(row, fieldname);
    if (value === null) continue;
    shown[fieldname] = value;
    if (value !== '' && value !== 0) holds = true;
  }
  return holds || always ? shown : null;
}
