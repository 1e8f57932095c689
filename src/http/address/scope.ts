import { type FieldSet, readableFields, writableFields } from '../../access/field-level.ts';
import { allows } from '../../access/permission.ts';
import type { CurrentUser } from '../../access/user.ts';
import type { DocType, DoctypeRegistry, Right } from '../../doctype/doctype.ts';
import { typeNames } from '../../doctype/type-names.ts';
import { readContext } from '../../document/context.ts';
import type { Controllers } from '../../document/contract.ts';
import { writesVirtual } from '../../document/virtual/virtual-doctype.ts';
import type { Operation } from '../../operation/operation.ts';
import type { OpenSite } from '../../site/start/open-site.ts';

/** The operations on a doctype over HTTP. */
export type ResourceVerb = 'list' | 'read' | 'create' | 'update' | 'delete';

/** A doctype that the user may use, or a child doctype of one. */
export interface UsableDoctype {
  readonly doctype: DocType;
  /** Its name in schemas and operation ids. */
  readonly typeName: string;
  /** Empty for a child doctype that is visible only within its parents. */
  readonly verbs: ReadonlySet<ResourceVerb>;
  readonly readable: FieldSet;
  readonly writable: FieldSet;
}

/** The scope of one OpenAPI document. */
export interface ApiScope {
  readonly user: CurrentUser;
  readonly registry: DoctypeRegistry;
  readonly methods: ReadonlyMap<string, Operation<never>>;
  readonly controllers: Controllers;
  /** Ordered by name. */
  readonly doctypes: readonly UsableDoctype[];
}

/** The doctypes that the user may use in any way, with their child doctypes. */
export function usableDoctypes(
  site: OpenSite,
  user: CurrentUser,
  registry: DoctypeRegistry,
): readonly UsableDoctype[] {
  const sorted = registry.all().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const names = typeNames(
    sorted.map(({ name }) => name),
    RESERVED,
  );
  const usable = new Map<string, UsableDoctype>();
  for (const doctype of sorted) {
    const verbs = verbsOf(site, user, doctype, registry);
    if (verbs.size > 0)
      usable.set(doctype.name, { ...levels(user, doctype), typeName: names.get(doctype.name) ?? '', verbs });
  }
  for (const { doctype: parent } of [...usable.values()]) {
    for (const table of parent.tables) {
      const child = registry.find(table.options);
      if (!child) continue;
      const inside = levels(user, child, parent);
      const known = usable.get(child.name);
      usable.set(child.name, {
        doctype: child,
        typeName: names.get(child.name) ?? '',
        verbs: known?.verbs ?? new Set(),
        // Several parents may make different fields readable.
        readable: known ? union(known.readable, inside.readable) : inside.readable,
        writable: known ? union(known.writable, inside.writable) : inside.writable,
      });
    }
  }
  return [...usable.values()].sort((a, b) => (a.doctype.name < b.doctype.name ? -1 : 1));
}

/** Schema names that no doctype may take. */
const RESERVED = ['Error'];

function verbsOf(
  site: OpenSite,
  user: CurrentUser,
  doctype: DocType,
  registry: DoctypeRegistry,
): ReadonlySet<ResourceVerb> {
  const verbs = new Set<ResourceVerb>();
  if (allows(user, doctype, 'select')) verbs.add('list');
  if (allows(user, doctype, 'read')) verbs.add('read');
  // Views are read-only.
  if (doctype.rowsFrom === 'view') return verbs;
  if (doctype.istable) {
    // The rights to the parent decide.
    const may = (right: Right) =>
      registry.parentsOf(doctype.name).some((one) => allows(user, one.doctype, right));
    if (may('read')) verbs.add('read');
    if (may('write')) for (const verb of ['create', 'update', 'delete'] as const) verbs.add(verb);
    return verbs;
  }
  const ctx = readContext(site, user);
  const writes = (verb: 'create' | 'update' | 'delete') =>
    doctype.rowsFrom === 'table' || writesVirtual(ctx, doctype, verb);
  if (allows(user, doctype, 'create') && writes('create')) verbs.add('create');
  if (allows(user, doctype, 'write') && writes('update')) verbs.add('update');
  if (allows(user, doctype, 'delete') && writes('delete') && !doctype.issingle) verbs.add('delete');
  return verbs;
}

function levels(user: CurrentUser, doctype: DocType, parent: DocType = doctype) {
  return {
    doctype,
    readable: readableFields(user, doctype, parent),
    writable: writableFields(user, doctype, parent),
  };
}

function union(one: FieldSet, other: FieldSet): FieldSet {
  return one === 'all' || other === 'all' ? 'all' : one.union(other);
}
