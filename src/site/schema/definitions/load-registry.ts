import type { Connection } from '../../../db/database.ts';
import { LENIENT, type Tolerance } from '../../../doctype/definition.ts';
import type { DocType, DoctypeRegistry } from '../../../doctype/doctype.ts';
import { type Customizations, mergeDefinition } from '../../../doctype/merge-definition.ts';
import { parseDoctype } from '../../../doctype/parse-doctype.ts';
import { buildRegistry } from '../../../doctype/registry.ts';
import { loadDoctypeVersion } from '../../../document/doctype-version.ts';
import { customizationsOf, loadCustomizations } from './customizations.ts';
import type { OwnerOf } from './defined-apps.ts';
import { type Definition, eachStoredDefinition, loadStoredDefinitions } from './stored-definitions.ts';

/** The registry of the tables: stored definitions with the site's customizations. */
export async function loadRegistry(
  connection: Connection,
  meta: DoctypeRegistry,
  owner: OwnerOf,
): Promise<DoctypeRegistry> {
  for (;;) {
    const version = await loadDoctypeVersion(connection);
    const doctypes = await readDoctypes(connection, meta, owner);
    // The tables are read one by one; the version reveals a change in between.
    if ((await loadDoctypeVersion(connection)) === version) return buildRegistry(doctypes, version);
  }
}

async function readDoctypes(
  connection: Connection,
  meta: DoctypeRegistry,
  owner: OwnerOf,
): Promise<DocType[]> {
  const customizations = await loadCustomizations(connection, meta);
  const doctypes: DocType[] = [];
  for await (const definition of eachStoredDefinition(connection, meta)) {
    const name = String(definition['name']);
    const added = customizationsOf(customizations, name);
    doctypes.push(meta.find(name) ?? parseMerged(definition, added, owner));
  }
  return doctypes;
}

/**
 * An effective doctype: the definition with the site's customizations. By default its oddities are notes.
 * @throws ServiceError as `parseDoctype`
 */
export function parseMerged(
  definition: Definition,
  added: Customizations,
  owner: OwnerOf,
  tolerates: Tolerance = LENIENT,
): DocType {
  return parseDoctype(mergeDefinition(definition, added), owner(String(definition['name'])), tolerates);
}

/**
 * The effective definition of one doctype, in the form of a file: custom fields in their places (marked
 * `is_custom_field`), property setters applied. Null without one.
 */
export async function mergedDefinition(
  connection: Connection,
  registry: DoctypeRegistry,
  doctypeName: string,
): Promise<Definition | null> {
  const [stored] = await loadStoredDefinitions(connection, registry, { only: [doctypeName] });
  if (!stored) return null;
  const found = await loadCustomizations(connection, registry, { only: [doctypeName] });
  return mergeDefinition(stored, customizationsOf(found, doctypeName));
}
