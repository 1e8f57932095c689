import { readableFields } from '../access/field-level.ts';
import type { DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { notPermitted, resolveField } from './field-path.ts';
import { jsonParameter } from './json-parameter.ts';
import type { QueryScope, SelectedColumn, Selection } from './list-query.ts';
import { Remembered } from './remembered.ts';

const selections = new Remembered<Selection>();
const ONLY_NAME = ['name'];

/**
 * The `fields` parameter: a JSON array or a plain text of names, `*` for every readable column, `field as name`, or a
 * single `count(*)`. Absent means `name`.
 * @throws ServiceError DataError for a field that may not be selected
 */
export function parseSelection(doctype: DocType, wire: unknown, scope: QueryScope): Selection {
  if (wire === undefined || wire === null || wire === '') return remembered(doctype, ONLY_NAME, scope);
  const value = jsonParameter('fields', wire);
  const names = value === null ? [] : typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(names)) throw new ServiceError('DataError', 'Parameter fields must be a list of fields');
  if (names.length === 0) return remembered(doctype, ONLY_NAME, scope);
  const texts = names.map((name) => {
    if (typeof name !== 'string') throw notPermitted(JSON.stringify(name) ?? 'undefined');
    return name.trim();
  });
  if (texts.length > LIMITS.selectedFields) {
    throw new ServiceError('DataError', `At most ${LIMITS.selectedFields} fields can be selected`);
  }
  return remembered(doctype, texts, scope);
}

function remembered(doctype: DocType, names: readonly string[], scope: QueryScope): Selection {
  const readable = readableFields(scope.user, doctype);
  return selections.get(doctype, readable, JSON.stringify(names), () => parseNames(doctype, names, scope));
}

function parseNames(doctype: DocType, names: readonly string[], scope: QueryScope): Selection {
  const [first = ''] = names;
  const count = /^count\(\s*(?:\*|`?name`?)\s*\)(?:\s+as\s+(.+))?$/i.exec(first);
  if (count) {
    if (names.length > 1) throw notPermitted(first);
    const key =
      count[1] === undefined ? first.toLowerCase().replaceAll(/[\s`]/g, '') : alias(first, count[1]);
    return { select: 'count', key };
  }
  const columns = new Map<string, SelectedColumn>();
  for (const name of names) {
    const selected = name === '*' ? everyColumn(doctype, scope) : [selectedColumn(doctype, name, scope)];
    for (const one of selected) columns.set(one.key, one);
  }
  return { select: 'columns', columns: [...columns.values()] };
}

function everyColumn(doctype: DocType, scope: QueryScope): SelectedColumn[] {
  const readable = readableFields(scope.user, doctype);
  return doctype.columns
    .filter((column) => readable === 'all' || readable.has(column.fieldname))
    .map((column) => ({ column, key: column.fieldname }));
}

function selectedColumn(doctype: DocType, text: string, scope: QueryScope): SelectedColumn {
  const [, path = text, name] = /^(\S.{0,300}?)\s+as\s+(.+)$/i.exec(text) ?? [];
  const { column } = resolveField(doctype, path, scope, 'select');
  return { column, key: name === undefined ? column.fieldname : alias(text, name) };
}

function alias(field: string, name: string): string {
  const plain = /^(?:([A-Za-z_]\w{0,60})|`([A-Za-z_]\w{0,60})`)$/.exec(name.trim());
  const key = plain?.[1] ?? plain?.[2];
  // A row is a plain object; this key would be its prototype.
  if (key === undefined || key === '__proto__') throw notPermitted(field);
  return key;
}
