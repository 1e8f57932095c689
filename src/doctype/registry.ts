import { ServiceError } from '../kernel/errors.ts';
import type { DocField, DocType, DoctypeRegistry, IncomingLink } from './doctype.ts';
import { asParsed, resolveReferences } from './references.ts';

/**
 * The doctypes of a site at one moment, each with the references that exist: see `resolveReferences`.
 * @throws ServiceError NameError when two names differ only in case, because SQLite would take them for one
 * table
 */
export function buildRegistry(doctypes: readonly DocType[], version: number): DoctypeRegistry {
  const byName = new Map<string, DocType>();
  const folded = new Map<string, string>();
  for (const doctype of doctypes) {
    const taken = folded.get(doctype.name.toLowerCase());
    if (taken !== undefined) {
      throw new ServiceError('NameError', `DocType ${doctype.name}: the name is taken by ${taken}`);
    }
    folded.set(doctype.name.toLowerCase(), doctype.name);
    byName.set(doctype.name, asParsed(doctype));
  }
  // Child tables first: the references of others depend on their Links.
  for (const doctype of doctypes.toSorted((one, other) => Number(other.istable) - Number(one.istable))) {
    byName.set(
      doctype.name,
      resolveReferences(doctype, (name) => byName.get(name)),
    );
  }
  const all = Object.freeze([...byName.values()]);
  const links = byTarget(all, (doctype) => doctype.links);
  const parents = byTarget(all, (doctype) => doctype.tables);
  const dynamicLinks = Object.freeze(
    all.flatMap((doctype) => doctype.dynamicLinks.map((field) => ({ doctype, field }))),
  );
  return Object.freeze({
    version,
    get(doctypeName: string) {
      const doctype = byName.get(doctypeName);
      if (!doctype) throw new ServiceError('DoesNotExistError', `DocType ${doctypeName} not found`);
      return doctype;
    },
    find: (doctypeName: string) => byName.get(doctypeName),
    all: () => all,
    linksTo: (doctypeName: string) => links.get(doctypeName) ?? NONE,
    dynamicLinks: () => dynamicLinks,
    parentsOf: (childDoctypeName: string) => parents.get(childDoctypeName) ?? NONE,
  });
}

const NONE: readonly IncomingLink[] = Object.freeze([]);

function byTarget(
  doctypes: readonly DocType[],
  fieldsOf: (doctype: DocType) => readonly DocField[],
): ReadonlyMap<string, readonly IncomingLink[]> {
  const incoming = new Map<string, IncomingLink[]>();
  for (const doctype of doctypes) {
    for (const field of fieldsOf(doctype)) {
      const list = incoming.get(field.options);
      if (list) list.push({ doctype, field });
      else incoming.set(field.options, [{ doctype, field }]);
    }
  }
  return incoming;
}
