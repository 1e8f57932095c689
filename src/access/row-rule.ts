import type { DocField, DocType, DoctypeRegistry, Right } from '../doctype/doctype.ts';
import { OLD_PARENT_FIELD } from '../doctype/tree.ts';
import type { ShareRight, UserPermission } from './grants.ts';
import { mayBeShared, roleReach, shareRightFor } from './permission.ts';
import type { CurrentUser } from './user.ts';

/**
 * Which documents of a doctype a right reaches: the one description of it, that lists compile into their statement
 * (`row-filter.ts`) and that one document is held against (`judge.ts`).
 */
export interface RowRule {
  readonly user: string;
  readonly doctype: DocType;
  /** A role reaches every document that no restriction keeps away. */
  readonly all: boolean;
  /** A role reaches the user's own documents, whatever the restrictions say. */
  readonly own: boolean;
  /** The right of a share that gives this one; null where no share can. */
  readonly shared: ShareRight | null;
  readonly restrictions: readonly Restriction[];
}

/** What User Permissions of one doctype ask of a field. */
export interface Restriction {
  /** The doctype that the permissions are about. */
  readonly allow: string;
  /** `name`, or a Link field to `allow`. */
  readonly fieldname: string;
  /** The field is one of each row of this table; null: of the document itself. */
  readonly table: DocField | null;
  readonly values: readonly string[];
  /** Those of the values that stand for what is below them, too. */
  readonly roots: readonly string[];
  /** The doctype that the permissions are about, where it is a tree. */
  readonly tree: DocType | null;
  /** An empty link passes. */
  readonly orEmpty: boolean;
}

// Registries and users with their grants are replaced, never changed.
const known = new WeakMap<DoctypeRegistry, WeakMap<CurrentUser, Map<string, RowRule | null>>>();

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
  let byUser = known.get(registry);
  if (!byUser) {
    byUser = new WeakMap();
    known.set(registry, byUser);
  }
  let rules = byUser.get(user);
  if (!rules) {
    rules = new Map();
    byUser.set(user, rules);
  }
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

/** What the user's User Permissions ask of documents of `doctype`: of their names, their links and those in their rows. */
function restrictionsOf(user: CurrentUser, doctype: DocType, registry: DoctypeRegistry): Restriction[] {
  const { grants } = user;
  if (!grants || grants.permissions.size === 0) return [];
  const found: Restriction[] = [];
  const add = (allow: string, fieldname: string, table: DocField | null, orEmpty: boolean) => {
    const restriction = restrictionBy(grants.permissions.get(allow), allow, doctype, registry);
    if (restriction) found.push({ ...restriction, fieldname, table, orEmpty });
  };
  // The settings of a site are not anybody's territory: what they leave empty stays open.
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

/** True of a Link field that User Permissions look at. A tree's node is seen whatever it is or was below. */
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

/** Those of a doctype's User Permissions that count for documents of the doctype of this name. */
export function applicablePermissions(
  permissions: readonly UserPermission[],
  doctypeName: string,
): readonly UserPermission[] {
  return permissions.filter((one) => one.applicableFor === null || one.applicableFor === doctypeName);
}
