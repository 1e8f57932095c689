import type { DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isRecord } from '../kernel/value.ts';
import { type AggregateCall, aggregateName, aggregateText, resolveAggregate } from './aggregate.ts';
import { notPermitted, resolveField } from './field-path.ts';
import { jsonParameter } from './json-parameter.ts';
import type { SelectedColumn, SelectedTerm, Selection } from './list-query.ts';
import { listedFields } from './listed-fields.ts';
import { resolveGroupKey } from './period.ts';
import type { QueryScope } from './query-scope.ts';
import { Remembered } from './remembered.ts';
import { selectedComments } from './selected-comments.ts';
import { selectedTable, tableNamed } from './selected-table.ts';

const selections = new Remembered<Selection>();
const ONLY_NAME = ['name'];

/** A field of a request, trimmed. */
type Item = string | Readonly<Record<string, unknown>>;

/** The `fields` parameter: a JSON array or a plain text of names. Absent means `name`. @throws ServiceError */
export function selectedItems(wire: unknown): readonly Item[] {
  if (wire === undefined || wire === null || wire === '') return ONLY_NAME;
  const value = jsonParameter('fields', wire);
  const names = value === null ? [] : typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(names)) throw new ServiceError('DataError', 'Parameter fields must be a list of fields');
  if (names.length === 0) return ONLY_NAME;
  if (names.length > LIMITS.selectedFields) {
    throw new ServiceError('DataError', `At most ${LIMITS.selectedFields} fields can be selected`);
  }
  return names.map((name) => {
    if (typeof name === 'string') return name.trim();
    if (!isRecord(name)) throw notPermitted(JSON.stringify(name) ?? 'undefined');
    return name;
  });
}

/**
 * Parses the items of `fields`: `*` for every readable column, `field as name`, `table.field`, `link.field`,
 * a table, `count(*)` and other aggregates as text or as `{"SUM": "field", "as": "name"}`.
 * @throws ServiceError DataError for a field that may not be selected
 */
export function parseSelection(doctype: DocType, items: readonly Item[], scope: QueryScope): Selection {
  const readable = listedFields(scope, doctype);
  const make = () => parseItems(doctype, items, scope);
  return selections.get(doctype, readable, JSON.stringify(items), make, isLasting);
}

// Fields behind a link or in a child table depend on more than the readable fields of the doctype.
function isLasting(selection: Selection): boolean {
  return (
    selection.select !== 'terms' ||
    selection.terms.every((term) =>
      term.value === 'rows' ? false : term.path === null || term.path.via === 'own',
    )
  );
}

function parseItems(doctype: DocType, items: readonly Item[], scope: QueryScope): Selection {
  const [first = ''] = items;
  if (items.length === 1 && typeof first === 'string') {
    const { text, name } = splitAlias(first);
    if (/^count\(\s*(?:\*|`?name`?)\s*\)$/i.test(text)) {
      const key = name === null ? text.toLowerCase().replaceAll(/[\s`]/g, '') : alias(first, name);
      return { select: 'count', key };
    }
  }
  const terms = new Map<string, SelectedTerm>();
  const others = new Set<unknown>(items.includes('*') ? [...items, ...doctype.columnByName.keys()] : items);
  for (const item of items) {
    const some = item === '*' ? everyColumn(doctype, scope) : [termOf(doctype, item, others, scope)];
    for (const one of some) terms.set(one.key, one);
  }
  const all = [...terms.values()];
  const columns = plainColumns(all);
  return columns ? { select: 'columns', columns } : { select: 'terms', terms: bounded(all) };
}

// Each needs a search of its own for every row.
function bounded(terms: readonly SelectedTerm[]): readonly SelectedTerm[] {
  const links = terms.filter((term) => term.value !== 'rows' && term.path?.via === 'link');
  const tables = terms.filter((term) => term.value === 'rows');
  if (links.length > LIMITS.linkedFields || tables.length > LIMITS.listedTables) {
    throw new ServiceError(
      'ValidationError',
      `At most ${LIMITS.linkedFields} fields behind links and ${LIMITS.listedTables} tables can be selected`,
    );
  }
  return terms;
}

function plainColumns(terms: readonly SelectedTerm[]): readonly SelectedColumn[] | null {
  const columns: SelectedColumn[] = [];
  for (const term of terms) {
    if (term.value !== 'field' || term.path.via !== 'own' || term.path.period !== undefined) return null;
    columns.push({ column: term.path.column, key: term.key });
  }
  return columns;
}

function everyColumn(doctype: DocType, scope: QueryScope): SelectedTerm[] {
  const readable = listedFields(scope, doctype);
  return doctype.columns
    .filter((column) => readable === 'all' || readable.has(column.fieldname))
    .map((column) => ({
      value: 'field',
      path: resolveField(doctype, column.fieldname, scope, 'select'),
      key: column.fieldname,
    }));
}

function termOf(doctype: DocType, item: Item, others: ReadonlySet<unknown>, scope: QueryScope): SelectedTerm {
  if (typeof item !== 'string') return fromObject(doctype, item, scope);
  const { text, name } = splitAlias(item);
  const key = name === null ? undefined : alias(item, name);
  const aggregate = aggregateText(text);
  if (aggregate) return aggregateTerm(doctype, aggregate.call, key ?? aggregate.key, scope);
  const comments = selectedComments(doctype, text, key, scope);
  if (comments) return comments;
  const table = tableNamed(doctype, text, scope);
  if (table) return selectedTable(doctype, table, '*', key ?? table.fieldname, scope);
  const path = resolveGroupKey(doctype, text, scope, 'select');
  // `customer.territory` is named `territory`, as in Frappe, unless the list has another field of that name.
  const { fieldname } = path.column;
  if (path.period !== undefined) return { value: 'field', path, key: key ?? text.replaceAll('`', '') };
  const isTaken = path.via !== 'own' && doctype.columnByName.has(fieldname) && others.has(fieldname);
  return { value: 'field', path, key: key ?? (isTaken ? text.replaceAll('`', '') : fieldname) };
}

function fromObject(
  doctype: DocType,
  item: Readonly<Record<string, unknown>>,
  scope: QueryScope,
): SelectedTerm {
  const shown = JSON.stringify(item);
  const { as, ...rest } = item;
  const [[name, operand] = ['', null], ...others] = Object.entries(rest);
  if (others.length > 0 || (as !== undefined && typeof as !== 'string')) throw notPermitted(shown);
  const key = as === undefined ? undefined : alias(shown, as);
  const aggregate = aggregateName(name);
  if (aggregate) {
    if (typeof operand !== 'string') throw notPermitted(shown);
    const field = operand.trim();
    return aggregateTerm(
      doctype,
      { name: aggregate, field, distinct: false },
      key ?? `${aggregate}(${field})`,
      scope,
    );
  }
  const table = tableNamed(doctype, name, scope);
  if (!table) throw notPermitted(shown);
  return selectedTable(doctype, table, operand, key ?? table.fieldname, scope);
}

function aggregateTerm(doctype: DocType, call: AggregateCall, key: string, scope: QueryScope): SelectedTerm {
  return { value: 'aggregate', ...resolveAggregate(doctype, call, scope), key };
}

/** Splits `field as name`; the name is null without `as`. */
function splitAlias(item: string): { text: string; name: string | null } {
  const at = item.search(/\sas\s/i);
  return at === -1
    ? { text: item, name: null }
    : { text: item.slice(0, at).trimEnd(), name: item.slice(at + ' as '.length) };
}

function alias(field: string, name: string): string {
  const plain = /^(?:([A-Za-z_]\w{0,60})|`([A-Za-z_]\w{0,60})`)$/.exec(name.trim());
  const key = plain?.[1] ?? plain?.[2];
  // A row is a plain object, and this key would set its prototype.
  if (key === undefined || key === '__proto__') throw notPermitted(field);
  return key;
}
