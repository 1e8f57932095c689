import { applyChanges } from '../../../db/apply-changes.ts';
import { ident, sql } from '../../../db/sql.ts';
import type { DocType, DoctypeRegistry, Document } from '../../../doctype/doctype.ts';
import { wholeDefinition } from '../../../doctype/other-properties.ts';
import { parseDoctype } from '../../../doctype/parse-doctype.ts';
import type { Context, Controller } from '../../../document/contract.ts';
import { newRow, rowsOf } from '../../../document/document.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { keepJsonDefaults } from '../../json-defaults.ts';
import { dropCustomizations } from '../definitions/abandoned.ts';
import { customizationsOf, loadCustomizations } from '../definitions/customizations.ts';
import { checkKnownKeys } from '../definitions/definition-keys.ts';
import { keepOtherProperties } from '../definitions/keep-other-properties.ts';
import type { Metadata } from '../definitions/metadata.ts';
import { type DoctypeTurn, takeTurn } from './doctype-turn.ts';
import { takeEffect } from './take-effect.ts';

/**
 * Puts DocType documents into effect: the table changes in the transaction that writes the document, the
 * registry after its commit. A column is never dropped. A doctype from a file can be extended but not deleted
 * here. Chancery's own doctypes cannot be changed, only customized.
 */
export function doctypeController(metadata: Metadata): Controller {
  // Carried from a save's checks to the writing of its rows.
  const turns = new WeakMap<Document, DoctypeTurn>();

  return {
    async beforeValidate(doc, ctx, change) {
      checkKnownKeys(change.input, ctx.doctypes, 'DocType');
      // First, so that from here on no other node changes the data behind the checks.
      const turn = await takeTurn(ctx, metadata);
      const existing = change.before ? turn.find(change.before.name) : undefined;
      if (existing?.app === 'standard') {
        throw new ServiceError(
          'ValidationError',
          `${existing.name} belongs to Chancery itself and cannot be changed; customize it with Custom Field and Property Setter`,
        );
      }
      if (!change.before) doc['custom'] = 1;
      // Clients cannot set the file that a doctype comes from.
      doc['app'] = change.before?.['app'] ?? null;
      if (typeof doc['sort_order'] === 'string') doc['sort_order'] = doc['sort_order'].toUpperCase();
      keepOtherProperties(ctx.doctypes, change);
      keepJsonDefaults(change);
      await requireFreeName(ctx, doc.name, change.before?.name);
      const doctype = parseDoctype(wholeDefinition(doc), existing?.app ?? '', turn.tolerance(existing));
      await requireFreeFieldnames(ctx, doctype);
      adoptFields(ctx, doc, doctype);
      turns.set(doc, turn);
    },

    async onUpdate(doc, ctx) {
      const turn = turns.get(doc);
      if (turn) await takeEffect(ctx, metadata, turn, doc.name);
    },

    async onTrash(doc, ctx) {
      const turn = await takeTurn(ctx, metadata);
      const doctype = turn.get(doc.name);
      if (doctype.app !== '') {
        const reason = `${doc.name} is defined by the app ${doctype.app} and cannot be deleted here`;
        throw new ServiceError('ValidationError', reason);
      }
      requireNoReferences(turn.registry, doctype);
      await requireEmptyTable(ctx, doctype);
      await dropCustomizations(ctx.db, doc.name);
      turns.set(doc, turn);
    },

    async afterDelete(doc, ctx) {
      const turn = turns.get(doc);
      if (!turn) return;
      if (!turn.get(doc.name).is_virtual) {
        await applyChanges(ctx.db, [{ change: 'drop_table', table: doc.name }]);
      }
      turn.remove(doc.name);
      ctx.afterCommit(() => ctx.site.observe({ kind: 'schema_changed', doctype: doc.name, changes: 1 }));
    },
  };
}

// Queries the tables, not this context's registry, because another node may have been faster. Names are
// ASCII.
async function requireFreeName(ctx: Context, name: string, own: string | undefined): Promise<void> {
  const twin = await ctx.db.get(
    sql`select "name" from "DocType" where lower("name") = ${name.toLowerCase()} and "name" <> ${own ?? ''}`,
  );
  if (!twin) return;
  const reason = `DocType ${twin['name']} exists: names must differ by more than case`;
  throw new ServiceError('DuplicateEntryError', reason);
}

async function requireFreeFieldnames(ctx: Context, doctype: DocType): Promise<void> {
  const added = customizationsOf(
    await loadCustomizations(ctx.db, ctx.doctypes, { only: [doctype.name] }),
    doctype.name,
  ).fields.map((field) => String(field['fieldname']).toLowerCase());
  const twice = doctype.fields.find((field) => added.includes(field.fieldname.toLowerCase()));
  if (!twice) return;
  const reason = `Field ${twice.fieldname}: ${doctype.name} has a Custom Field of this name already`;
  throw new ServiceError('ValidationError', reason);
}

/** The flags of fields that the parser adds. */
const FLAGS_OF_ADDED = [
  'read_only',
  'enforce_on_server',
  'no_copy',
  'hidden',
  'ignore_user_permissions',
] as const;

// A missing fieldname is derived from the label, and submittable doctypes and trees get fields. The stored rows
// include both.
function adoptFields(ctx: Context, doc: Document, doctype: DocType): void {
  const rows = rowsOf(doc, 'fields');
  for (const field of doctype.fields) {
    let row = rows[field.idx - 1];
    if (!row) {
      row = newRow(ctx.doctypes.get('DocField'));
      row.idx = rows.length + 1;
      Object.assign(row, {
        label: field.label,
        fieldtype: field.fieldtype,
        options: field.options,
      });
      for (const flag of FLAGS_OF_ADDED) row[flag] = Number(field[flag]);
      rows.push(row);
    }
    row['fieldname'] = field.fieldname;
  }
  doc['fields'] = rows;
}

function requireNoReferences(doctypes: DoctypeRegistry, doctype: DocType): void {
  const users = [...doctypes.linksTo(doctype.name), ...doctypes.parentsOf(doctype.name)]
    .filter((link) => link.doctype.name !== doctype.name)
    .map((link) => `${link.field.label || link.field.fieldname} of ${link.doctype.name}`);
  if (users.length === 0) return;
  throw new ServiceError(
    'LinkExistsError',
    `Cannot delete DocType ${doctype.name}: it is used by ${users.join(', ')}`,
  );
}

async function requireEmptyTable(ctx: Context, doctype: DocType): Promise<void> {
  // The only row of a single is its settings, which go with it.
  if (doctype.issingle || doctype.is_virtual) return;
  // On PostgreSQL a row might otherwise be inserted between the query and the drop; on SQLite no other
  // process writes.
  if (ctx.db.dialect.name === 'postgres') {
    await ctx.db.run(sql`lock table ${ident(doctype.name)} in access exclusive mode`);
  }
  const row = await ctx.db.get(sql`select 1 as "found" from ${ident(doctype.name)} limit 1`);
  if (row) {
    throw new ServiceError(
      'LinkExistsError',
      `Cannot delete DocType ${doctype.name}: delete its documents first`,
    );
  }
}
