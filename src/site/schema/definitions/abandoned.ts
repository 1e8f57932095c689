import { applyChanges } from '../../../db/apply-changes.ts';
import type { Connection } from '../../../db/database.ts';
import { describeTable } from '../../../db/describe.ts';
import { ident, sql } from '../../../db/sql.ts';
import type { DoctypeRegistry } from '../../../doctype/doctype.ts';
import type { Observer } from '../../../kernel/observation.ts';
import { isRecord } from '../../../kernel/value.ts';
import type { OwnerOf } from './defined-apps.ts';
import type { Definition } from './stored-definitions.ts';
import { loadStoredDefinitions } from './stored-definitions.ts';

/** A doctype from an app's file that no app of the site defines any more. */
export interface Abandoned {
  readonly name: string;
  readonly app: string;
  /** The remaining doctypes that refer to it. As long as there are any, it remains too. */
  readonly usedBy: readonly string[];
}

const REFERRING = new Set(['Link', 'Table', 'Table MultiSelect']);

/** Finds abandoned doctypes. A doctype that a remaining one uses remains too, and so on. */
export function findAbandoned(stored: readonly Definition[], owner: OwnerOf): Abandoned[] {
  const nameOf = (definition: Definition) => String(definition['name']);
  const candidates = stored.filter(
    (definition) => String(definition['app'] ?? '') !== '' && owner(nameOf(definition)) === '',
  );
  let going = new Set(candidates.map(nameOf));
  const usersOf = (name: string) =>
    stored
      .filter((other) => nameOf(other) !== name && !going.has(nameOf(other)) && refersTo(other, name))
      .map(nameOf);
  for (;;) {
    const next = new Set([...going].filter((name) => usersOf(name).length === 0));
    if (next.size === going.size) break;
    going = next;
  }
  return candidates.map((definition) => ({
    name: nameOf(definition),
    app: String(definition['app']),
    usedBy: going.has(nameOf(definition)) ? [] : usersOf(nameOf(definition)),
  }));
}

function refersTo(definition: Definition, doctypeName: string): boolean {
  const fields = definition['fields'];
  return (
    Array.isArray(fields) &&
    fields.some(
      (field) =>
        isRecord(field) && field['options'] === doctypeName && REFERRING.has(String(field['fieldtype'])),
    )
  );
}

/** Drops their tables and definitions, with all stored data. */
export async function dropAbandoned(
  connection: Connection,
  meta: DoctypeRegistry,
  owner: OwnerOf,
  observe: Observer,
): Promise<void> {
  const stored = await loadStoredDefinitions(connection, meta);
  for (const { name, usedBy } of findAbandoned(stored, owner)) {
    if (usedBy.length > 0) continue;
    if (await describeTable(connection, name)) {
      await applyChanges(connection, [{ change: 'drop_table', table: name }]);
    }
    for (const table of meta.get('DocType').tables) {
      await connection.run(
        sql`delete from ${ident(table.options)} where "parent" = ${name} and "parenttype" = 'DocType'`,
      );
    }
    await dropCustomizations(connection, name);
    await connection.run(sql`delete from "DocType" where "name" = ${name}`);
    await connection.run(sql`delete from "_secret" where "doctype" = ${name}`);
    observe({ kind: 'schema_changed', doctype: name, changes: 1 });
  }
}

/** Removes the custom fields, property setters and permissions of a dropped doctype. */
export async function dropCustomizations(connection: Connection, doctypeName: string): Promise<void> {
  await connection.run(sql`delete from "Custom Field" where "dt" = ${doctypeName}`);
  await connection.run(sql`delete from "Property Setter" where "doc_type" = ${doctypeName}`);
  await connection.run(sql`delete from "Custom DocPerm" where "parent" = ${doctypeName}`);
}
