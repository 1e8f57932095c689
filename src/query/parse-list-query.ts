import { type FieldSet, readableFields } from '../access/field-level.ts';
import { isSystemManager } from '../access/user.ts';
import type { DocColumn, DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isNullable, notPermitted, resolveField } from './field-path.ts';
import type { ListParameters, ListQuery, OrderTerm, QueryScope } from './list-query.ts';
import { parseFilters } from './parse-filter.ts';
import { parseSelection } from './parse-selection.ts';
import { Remembered } from './remembered.ts';

/**
 * What a list request means for this user. The right to the doctype itself is the caller's to check.
 * @throws ServiceError DataError or ValidationError (417), BadRequestError (400) for broken JSON, PermissionError for
 *   a list without a limit by someone who is not an administrator
 */
export function parseListQuery(doctype: DocType, wire: ListParameters, scope: QueryScope): ListQuery {
  return {
    doctype,
    selection: parseSelection(doctype, wire.fields, scope),
    filters: parseFilters(doctype, 'filters', wire.filters, scope),
    orFilters: parseFilters(doctype, 'or_filters', wire.or_filters, scope),
    order: parseOrder(doctype, wire.order_by, scope),
    start: parseStart(isAbsent(wire.limit_start) ? wire.start : wire.limit_start),
    limit: parseLimit(isAbsent(wire.limit_page_length) ? wire.limit : wire.limit_page_length, scope),
    asDict: !isFalse(wire.as_dict),
  };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

// "False" is what a .NET client sends when it still reads the reply by field name.
function isFalse(value: unknown): boolean {
  return value === false || value === 0 || value === 'false' || value === '0';
}

function parseStart(value: unknown): number {
  return isAbsent(value) ? 0 : wholeNumber('limit_start', value);
}

function parseLimit(value: unknown, scope: QueryScope): number | null {
  if (isAbsent(value)) return LIMITS.pageLength;
  const limit = wholeNumber('limit_page_length', value);
  const isManager = isSystemManager(scope.user);
  if (limit === 0) {
    if (isManager) return null;
    throw new ServiceError(
      'PermissionError',
      'Only an administrator may list without a limit (limit_page_length=0)',
    );
  }
  const most = scope.maxPageLength ?? LIMITS.maxPageLength;
  if (limit > most && !isManager) {
    throw new ServiceError(
      'ValidationError',
      `limit_page_length may be at most ${most}; fetch further pages with limit_start`,
    );
  }
  return limit;
}

function wholeNumber(name: string, value: unknown): number {
  const number = typeof value === 'string' && /^\s*\d{1,16}\s*$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number + 0;
  throw new ServiceError('ValidationError', `${name} must be a whole number that is not negative`);
}

const orders = new Remembered<readonly OrderTerm[]>();

function parseOrder(doctype: DocType, wire: unknown, scope: QueryScope): readonly OrderTerm[] {
  if (!isAbsent(wire) && typeof wire !== 'string') throw notPermitted(JSON.stringify(wire) ?? 'undefined');
  const text = typeof wire === 'string' ? wire.trim() : '';
  const readable = readableFields(scope.user, doctype);
  return orders.get(doctype, readable, text, () =>
    text === '' ? defaultOrder(doctype, readable) : givenOrder(doctype, text, scope),
  );
}

function givenOrder(doctype: DocType, text: string, scope: QueryScope): readonly OrderTerm[] {
  const texts = text.split(',');
  if (texts.length > LIMITS.orderTerms) {
    throw new ServiceError('ValidationError', `At most ${LIMITS.orderTerms} terms are allowed in order_by`);
  }
  const terms = texts.map((term) => parseTerm(doctype, term.trim(), scope));
  return total(doctype, terms);
}

function parseTerm(doctype: DocType, text: string, scope: QueryScope): OrderTerm {
  const [, path = text, direction = 'asc'] = /^(\S.{0,300}?)\s+(asc|desc)$/i.exec(text) ?? [];
  const { column } = resolveField(doctype, path, scope, 'order');
  return termOf(doctype, column, direction.toLowerCase() === 'desc' ? 'desc' : 'asc');
}

function defaultOrder(doctype: DocType, readable: FieldSet): readonly OrderTerm[] {
  const sortable = readable === 'all' || readable.has(doctype.sort_field);
  const wanted = sortable ? doctype.columnByName.get(doctype.sort_field) : undefined;
  const isSecret = wanted?.field?.fieldtype === 'Password';
  const column = wanted && !isSecret ? wanted : standardColumn(doctype, 'modified');
  return total(doctype, [termOf(doctype, column, doctype.sort_order)]);
}

// `name` makes the order total, so that pages neither skip nor repeat; it runs the way of the last term, so that
// one index can serve both.
function total(doctype: DocType, terms: readonly OrderTerm[]): readonly OrderTerm[] {
  if (terms.some((term) => term.column.fieldname === 'name')) return terms;
  const direction = terms.at(-1)?.direction ?? 'asc';
  return [...terms, termOf(doctype, standardColumn(doctype, 'name'), direction)];
}

function termOf(doctype: DocType, column: DocColumn, direction: 'asc' | 'desc'): OrderTerm {
  return { column, nullable: isNullable(doctype, column), direction };
}

function standardColumn(doctype: DocType, name: 'name' | 'modified'): DocColumn {
  const column = doctype.columnByName.get(name);
  if (!column) throw new Error(`doctype ${doctype.name} has no column ${name}`);
  return column;
}
