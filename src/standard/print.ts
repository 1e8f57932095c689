import { sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import type { Controller } from '../document/contract.ts';
import { ServiceError } from '../kernel/errors.ts';
import { recordsIn } from '../kernel/value.ts';
import { columnNames, isPrintable } from '../print/print-parts.ts';

/** Print Formats: every field and column must exist in the doctype, and be printable. */
export const printFormatController: Controller = {
  validate(doc, ctx) {
    const doctype = ctx.doctypes.get(String(doc['doc_type'] ?? ''));
    for (const part of recordsIn(doc['parts'])) {
      if (part['type'] !== 'Field') continue;
      const field = doctype.fieldByName.get(String(part['fieldname'] ?? ''));
      if (!field || !isPrintable(field)) {
        throw refused(
          part,
          `${doctype.name} has no printable field ${JSON.stringify(part['fieldname'] ?? '')}`,
        );
      }
      const child = field.fieldtype === 'Table' ? ctx.doctypes.get(field.options) : null;
      for (const column of columnNames(String(part['columns'] ?? ''))) {
        if (!child) throw refused(part, `${field.fieldname} is no table and has no columns`);
        if (!child.fieldByName.has(column)) throw refused(part, `${child.name} has no field ${column}`);
      }
    }
  },
};

function refused(part: Readonly<Record<string, unknown>>, why: string): ServiceError {
  return new ServiceError('ValidationError', `Parts, row ${String(part['idx'])}: ${why}`);
}

/** Letter Heads: at most one is the default. */
export const letterHeadController: Controller = {
  async onUpdate(doc: Document, ctx) {
    if (doc['is_default'] !== 1) return;
    await ctx.db.run(
      sql`update "Letter Head" set "is_default" = 0, "_revision" = "_revision" + 1 where "is_default" = 1 and "name" <> ${doc.name}`,
    );
  },
};
