import { isSystemManager } from '../access/user.ts';
import type { DocType } from '../doctype/doctype.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isAbsent, isFalse } from './json-parameter.ts';
import type { ListParameters, ListQuery } from './list-query.ts';
import { parseExpand } from './parse-expand.ts';
import { parseFilters } from './parse-filter.ts';
import { joinedTable, parseShape } from './parse-groups.ts';
import { parseGroupOrder, parseOrder } from './parse-order.ts';
import type { QueryScope } from './query-scope.ts';

/**
 * Parses a list request for this user. The caller checks the right to the doctype itself.
 * @throws ServiceError DataError or ValidationError (417), BadRequestError (400) for broken JSON,
 * PermissionError for a list without a limit by someone who is not an administrator
 */
export function parseListQuery(doctype: DocType, wire: ListParameters, scope: QueryScope): ListQuery {
  const { selection, groups } = parseShape(doctype, wire, scope);
  const { filters, nested } = parseFilters(doctype, 'filters', wire.filters, scope);
  const order =
    groups === null
      ? parseOrder(doctype, wire.order_by, scope, selection)
      : parseGroupOrder(doctype, wire.order_by, scope, selection, groups);
  return {
    doctype,
    selection,
    groups,
    joined: joinedTable(selection, groups, order),
    expand: parseExpand(wire.expand, scope, selection, doctype),
    filters,
    orFilters: parseFilters(doctype, 'or_filters', wire.or_filters, scope).filters,
    nested,
    order,
    start: parseStart(isAbsent(wire.limit_start) ? wire.start : wire.limit_start),
    limit: parseLimit(isAbsent(wire.limit_page_length) ? wire.limit : wire.limit_page_length, scope),
    asDict: !isFalse(wire.as_dict),
  };
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
