import type { ListRight } from '../../access/list-right.ts';
import type { CurrentUser } from '../../access/user.ts';
import type { LiveSettings } from '../../config/live-settings.ts';
import type { Dialect } from '../../db/dialect.ts';
import { render, type Sql, type Statement } from '../../db/sql.ts';
import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { memo } from '../../kernel/memo.ts';
import { Recent } from '../../kernel/recent.ts';
import { LIST_PARAMETERS, type ListParameters, type ListQuery } from '../../query/list-query.ts';
import { parseListQuery } from '../../query/parse-list-query.ts';
import type { QueryScope } from '../../query/query-scope.ts';
import type { Context } from '../contract.ts';

/** The cache holds at most twice as many lists. */
const CAPACITY = 500;
/** Longer parameters are parsed each time, so that the cache stays below some megabytes. */
const LONGEST = 1_000;
/** Longer statements, as of users with thousands of User Permissions, are compiled each time. */
const LONGEST_STATEMENT = 5_000;

/** A parsed list request. */
export interface KnownList {
  readonly query: ListQuery;
  /** The last statement for this filter, if the list is cached. */
  compiled: { readonly filter: Sql | null; readonly statement: Statement } | null;
}

interface Entry extends KnownList {
  readonly user: CurrentUser;
  readonly settings: LiveSettings;
}

// Dropped with its registry, when a doctype changes.
const known = memo((_: DoctypeRegistry) => new Recent<Entry>(CAPACITY));

/**
 * Parses a list request, or returns the list of an equal one: clients repeat their lists endlessly. Everything
 * that the result depends on is part of the key, or compared. A list that depends on the time, or on the rows
 * of another doctype, is not cached.
 */
export function knownList(
  ctx: Context,
  doctype: DocType,
  parameters: ListParameters,
  right: ListRight,
  scope: Required<Pick<QueryScope, 'now' | 'rowsOf'>>,
): KnownList {
  const { settings } = ctx.site;
  const key = keyOf(ctx, doctype, parameters, right);
  const lists = known(ctx.doctypes);
  const found = key === null ? undefined : lists.get(key);
  if (found && found.user === ctx.user && found.settings === settings && found.query.doctype === doctype) {
    return found;
  }
  let lasts = key !== null;
  const query = parseListQuery(doctype, parameters, {
    registry: ctx.doctypes,
    user: ctx.user,
    right,
    maxPageLength: settings.maxPageLength,
    now: () => {
      lasts = false;
      return scope.now();
    },
    rowsOf: (target) => {
      lasts = false;
      return scope.rowsOf(target);
    },
  });
  const made: Entry = { query, compiled: null, user: ctx.user, settings };
  if (key !== null && lasts) lists.set(key, made);
  return made;
}

/** The statement of a list for this filter. The settings that it depends on are those of the list. */
export function compiledOnce(
  list: KnownList,
  filter: Sql | null,
  dialect: Dialect,
  compile: () => Sql,
): Statement {
  if (list.compiled?.filter === filter) return list.compiled.statement;
  const statement = render(compile(), dialect.hole);
  if (statement.text.length <= LONGEST_STATEMENT) list.compiled = { filter, statement };
  return statement;
}

// Each text with its length, so that different parameters cannot have the same key.
function keyOf(
  { user }: Context,
  doctype: DocType,
  parameters: ListParameters,
  right: ListRight,
): string | null {
  let key = `${right} ${doctype.name}\n${user.name}\n`;
  for (const name of LIST_PARAMETERS) {
    const value = parameters[name];
    if (value === undefined) key += '-';
    else if (typeof value === 'string') key += `${value.length}:${value}`;
    else return null;
    if (key.length > LONGEST) return null;
  }
  return key;
}
