import type { DocField, DocType, DoctypeRegistry, Right } from '../doctype/doctype.ts';
import { OLD_PARENT_FIELD } from '../doctype/tree.ts';
import { memo2 } from '../kernel/memo.ts';
import type { ShareRight, UserPermission } from './grants.ts';
import { mayBeShared, roleReach, shareRightFor } from './permission.ts';
import type { CurrentUser } from './user.ts';

/**
 * The documents of a doctype that a right reaches. This is the only description: lists compile it into their
 * statement (`row-filter.ts`), and `judge.ts` checks one document against it.
 */
export interface RowRule {
  readonly user: string;
  readonly doctype: DocType;
  /** A role reaches every document that no restriction excludes. */
  readonly all: boolean;
  /** A role reaches the user's own documents, whatever the restrictions. */
  readonly own: boolean;
  /** The right of a share that gives this right; null where no share can. */
  readonly shared: ShareRight | null;
  readonly restrictions: readonly Restriction[];
}

/** The restriction of a field by User Permissions of one doctype. */
export interface Restriction {
  /** The doctype of the User Permissions. */
  readonly allow: string;
  /** `name`, or a Link field to `allow`. */
  readonly fieldname: string;
  /** The table whose rows contain the field; null for a field of the document itself. */
  readonly table: DocField | null;
  readonly values: readonly string[];
  /** The values that also allow their descendants. */
  readonly roots: readonly string[];
  /** The doctype of the User Permissions, if it is a tree. */
  readonly tree: DocType | null;
  /** An empty link is allowed. */
  readonly orEmpty: boolean;
}

// Registries and users are replaced, never changed.
const rulesFor = memo2((_registry: DoctypeRegistry, _user: CurrentUser) => new Map<string, RowRule | null>());

/** The rule for this user; null when the right reaches every document. */
export function ruleOf(
  user: CurrentUser,
  doctype: DocType,
  right: Right,
  registry: DoctypeRegistry,
): RowRule | null {
  if (user.isAdministrator && user.scope === null) return null;
  if (user.grants === null) {
    const { all, own } = roleReach(user, doctype, right);
    if (all) return null;
    return { user: user.name, doctype, all, own, shared: null, restrictions: NO_RESTRICTIONS };
  }
  const rules = rulesFor(registry, user);
  const key = `${right} ${doctype.name}`;
  let rule = rules.get(key);
  if (rule === undefined) {
    rule = makeRule(user, doctype, right, registry);
    rules.set(key, rule);
  }
  return rule;
}

const NO_RESTRICTIONS: readonly Restriction[] = [];

function makeRule(
  user: CurrentUser,
  doctype: DocType,
  right: Right,
  registry: DoctypeRegistry,
): RowRule | null {
  const { all, own } = roleReach(user, doctype, right);
  const restrictions = all ? restrictionsOf(user, doctype, registry) : NO_RESTRICTIONS;
  if (all && restrictions.length === 0) return null;
  const shared = mayBeShared(user, doctype, right) ? shareRightFor(right) : null;
  return { user: user.name, doctype, all, own, shared, restrictions };
}

/**
 * The restrictions of the user's User Permissions on documents of `doctype`: on names, links, and links in
 * rows.
 */
function restrictionsOf(user: CurrentUser, doctype: DocType, registry: DoctypeRegistry): Restriction[] {
  const { grants } = user;
  if (!grants || grants.permissions.size === 0) return [];
  const found: Restriction[] = [];
  const add = (allow: string, fieldname: string, table: DocField | null, orEmpty: boolean) => {
    const restriction = restrictionBy(grants.permissions.get(allow), allow, doctype, registry);
    if (restriction) found.push({ ...restriction, fieldname, table, orEmpty });
  };
  // Site settings belong to no user's restriction: an empty link there is allowed.
  const orEmpty = !grants.strict || doctype.issingle;
  if (!doctype.issingle) add(doctype.name, 'name', null, false);
  for (const field of doctype.links) {
    if (isLookedAt(doctype, field)) add(field.options, field.fieldname, null, orEmpty);
  }
  for (const table of doctype.tables) {
    for (const field of registry.find(table.options)?.links ?? []) {
      if (!field.ignore_user_permissions) add(field.options, field.fieldname, table, orEmpty);
    }
  }
  return found;
}

/** True for a Link field that User Permissions check. The parent links of a tree are not checked. */
export function isLookedAt(doctype: DocType, field: DocField): boolean {
  if (field.ignore_user_permissions) return false;
  if (!doctype.is_tree) return true;
  return field.fieldname !== doctype.nsm_parent_field && field.fieldname !== OLD_PARENT_FIELD;
}

function restrictionBy(
  permissions: readonly UserPermission[] | undefined,
  allow: string,
  doctype: DocType,
  registry: DoctypeRegistry,
): Pick<Restriction, 'allow' | 'values' | 'roots' | 'tree'> | null {
  const applicable = permissions ? applicablePermissions(permissions, doctype.name) : [];
  if (applicable.length === 0) return null;
  const target = registry.find(allow);
  const tree = target?.is_tree ? target : null;
  return {
    allow,
    tree,
    values: applicable.map(({ value }) => value),
    roots: tree ? applicable.filter((one) => !one.hideDescendants).map(({ value }) => value) : [],
  };
}

/** The User Permissions of a doctype that apply to documents of the doctype with this name. */
export function applicablePermissions(
  permissions: readonly UserPermission[],
  doctypeName: string,
): readonly UserPermission[] {
  return permissions.filter((one) => one.applicableFor === null || one.applicableFor === doctypeName);
}
