import type { Connection } from '../../../db/database.ts';
import { LENIENT, type Tolerance } from '../../../doctype/definition.ts';
import type { DocType, DoctypeRegistry } from '../../../doctype/doctype.ts';
import { type Customizations, mergeDefinition } from '../../../doctype/merge-definition.ts';
import { parseDoctype } from '../../../doctype/parse-doctype.ts';
import { buildRegistry } from '../../../doctype/registry.ts';
import { loadDoctypeVersion } from '../../settings/settings-table.ts';
import { customizationsOf, loadCustomizations } from './customizations.ts';
import type { OwnerOf } from './defined-apps.ts';
import { type Definition, loadStoredDefinitions } from './stored-definitions.ts';

/** The registry of the tables: stored definitions with the site's customizations. */
export async function loadRegistry(
  connection: Connection,
  meta: DoctypeRegistry,
  owner: OwnerOf,
): Promise<DoctypeRegistry> {
  for (;;) {
    const version = await loadDoctypeVersion(connection);
    const stored = await loadStoredDefinitions(connection, meta);
    const customizations = await loadCustomizations(connection, meta);
    // The tables are read one by one; the version reveals a change in between.
    if ((await loadDoctypeVersion(connection)) !== version) continue;
    const doctypes = stored.map(
      (definition) =>
        meta.find(String(definition['name'])) ??
        parseMerged(definition, customizationsOf(customizations, definition['name']), owner),
    );
    return buildRegistry(doctypes, version);
  }
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
  const [stored] = await loadStoredDefinitions(connection, registry, { only: doctypeName });
  if (!stored) return null;
  const found = await loadCustomizations(connection, registry, { only: doctypeName });
  return mergeDefinition(stored, customizationsOf(found, doctypeName));
}
