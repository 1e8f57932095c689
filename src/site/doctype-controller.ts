import { ident, sql } from '../db/sql.ts';
import type { DocType, DoctypeRegistry, Document } from '../doctype/doctype.ts';
import { checkReferences, parseDoctype } from '../doctype/parse-doctype.ts';
import type { Context } from '../document/context.ts';
import type { Controller } from '../document/controller.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Metadata } from './metadata.ts';
import { raiseDoctypeVersion, readDoctypeVersion } from './settings-table.ts';
import { applyPlan } from './sync-doctypes.ts';

/**
 * Makes DocType documents take effect: the table changes in the transaction that writes the document, the registry
 * after its commit. A column is never dropped; a doctype that a file defines can be extended but not deleted here,
 * and Chancery's own cannot be changed.
 */
export function doctypeController(metadata: Metadata): Controller {
  // What a save in this transaction means, kept from its checks to its rows.
  const parsed = new WeakMap<Document, { readonly doctype: DocType; readonly version: number }>();

  return {
    async beforeValidate(doc, ctx, change) {
      // First of all, so that from here on no other node changes what the checks look at.
      const version = await raiseDoctypeVersion(ctx.db);
      const existing = change.before ? ctx.doctypes.find(change.before.name) : undefined;
      if (existing?.app === 'standard') {
        throw new ServiceError(
          'ValidationError',
          `${existing.name} belongs to Chancery itself and cannot be changed`,
        );
      }
      if (!existing) doc['custom'] = 1;
      if (typeof doc['sort_order'] === 'string') doc['sort_order'] = doc['sort_order'].toUpperCase();
      await requireFreeName(ctx, doc.name, change.before?.name);
      const doctype = parseDoctype(doc, existing?.app ?? '');
      checkReferences(doctype, (name) => ctx.doctypes.find(name));
      requireSameNature(existing, doctype);
      adoptFieldnames(doc, doctype);
      parsed.set(doc, { doctype, version });
    },

    async onUpdate(doc, ctx, change) {
      const save = parsed.get(doc);
      if (!save) return;
      const changes = await applyPlan(ctx.db, save.doctype, change.before !== null);
      ctx.afterCommit(() => {
        metadata.put(save.doctype, save.version);
        ctx.site.observe({ kind: 'schema_changed', doctype: doc.name, changes });
      });
    },

    async onTrash(doc, ctx) {
      const doctype = ctx.doctypes.get(doc.name);
      if (doctype.app !== '') {
        const reason = `${doc.name} is defined by the app ${doctype.app} and cannot be deleted here`;
        throw new ServiceError('ValidationError', reason);
      }
      requireNoReferences(ctx.doctypes, doctype);
      await raiseDoctypeVersion(ctx.db);
      await requireEmptyTable(ctx, doctype);
    },

    async afterDelete(doc, ctx) {
      const version = await readDoctypeVersion(ctx.db);
      for (const statement of ctx.db.dialect.changeSql({ change: 'drop_table', table: doc.name })) {
        await ctx.db.run(statement);
      }
      ctx.afterCommit(() => {
        metadata.remove(doc.name, version);
        ctx.site.observe({ kind: 'schema_changed', doctype: doc.name, changes: 1 });
      });
    },
  };
}

// Asked of the tables and not of this context's registry: another node may have been quicker. Names are ASCII.
async function requireFreeName(ctx: Context, name: string, own: string | undefined): Promise<void> {
  const twin = await ctx.db.get(
    sql`select "name" from "DocType" where lower("name") = ${name.toLowerCase()} and "name" <> ${own ?? ''}`,
  );
  if (!twin) return;
  const reason = `DocType ${twin['name']} exists: names must differ by more than case`;
  throw new ServiceError('DuplicateEntryError', reason);
}

// Whether rows stand alone or inside a parent decides the standard columns of the table: fixed at creation.
function requireSameNature(existing: DocType | undefined, doctype: DocType): void {
  const changed = (['istable', 'issingle', 'is_virtual'] as const).filter(
    (property) => doctype[property] !== (existing?.[property] ?? (property === 'istable' && doctype.istable)),
  );
  if (changed.length === 0) return;
  const reason = existing ? 'cannot be changed' : 'cannot be set';
  throw new ServiceError('ValidationError', `${changed.join(', ')} of DocType ${doctype.name} ${reason}`);
}

// A fieldname left out is made of the label; the stored rows say what it became.
function adoptFieldnames(doc: Document, doctype: DocType): void {
  const rows = doc['fields'];
  if (!Array.isArray(rows)) return;
  for (const [index, row] of rows.entries()) row['fieldname'] = doctype.fields[index]?.fieldname ?? null;
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
  // On PostgreSQL a row might otherwise come in between the question and the drop; on SQLite nobody else writes.
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
