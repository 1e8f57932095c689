import { ident, sql } from '../db/sql.ts';
import type { DocType, Document } from '../doctype/doctype.ts';
import type { Context, Controller } from '../document/contract.ts';
import { rowsOf } from '../document/document.ts';
import { forgetNamingRules, NAMING_RULE } from '../document/naming/naming-rules.ts';
import { parsePrefix } from '../document/naming/series.ts';
import { defineMethod } from '../document/verbs/method.ts';
import { updateDocument } from '../document/verbs/update.ts';
import { ServiceError } from '../kernel/errors.ts';

/** The most digits of a counter that is an exact number. */
const MOST_DIGITS = 15;

/** Document Naming Rules. They are checked when they are saved, so that naming never meets an invalid one. */
export const namingRuleController: Controller = {
  validate(doc, ctx, change) {
    // Only naming changes the counter: saving an outdated form must not set it back.
    doc['counter'] = change.before ? (change.before['counter'] ?? 0) : 0;
    const doctype = ctx.doctypes.find(String(doc['document_type'] ?? ''));
    if (doctype) checkRule(doctype, doc);
  },
  onUpdate: (_doc, ctx) => forget(ctx),
  onTrash: (_doc, ctx) => forget(ctx),
};

// This transaction and all later ones see the change. Rules read before the commit must be read again after it.
function forget(ctx: Context): void {
  forgetNamingRules(ctx.site);
  ctx.dropCaches('naming rules');
}

/** Sets the last number of a rule: `name`, `new_counter`. */
export const updateCounter = defineMethod({
  description: 'Set the last number that a naming rule has used',
  args: {
    name: { type: 'Data', required: true, description: 'Name of a Document Naming Rule' },
    new_counter: { type: 'Int', required: true, min: 0 },
  },
  async run(ctx, { name, new_counter: counter }) {
    // Checks the right to the rule and locks it.
    const rule = await updateDocument(ctx, NAMING_RULE, name, {});
    await ctx.db.run(
      sql`update ${ident(NAMING_RULE)} set "counter" = ${counter} where "name" = ${rule.name}`,
    );
    return counter;
  },
});

function checkRule(doctype: DocType, rule: Document): void {
  if (doctype.istable || doctype.issingle || doctype.is_virtual || doctype.app === 'standard') {
    throw new ServiceError('ValidationError', `Documents of ${doctype.name} cannot be named by a rule`);
  }
  if (doctype.autoname.toLowerCase() === 'autoincrement') {
    throw new ServiceError('ValidationError', `${doctype.name} is named by autoincrement`);
  }
  if (typeof rule['prefix'] === 'string' && rule['prefix'] !== '') parsePrefix(rule['prefix'], doctype);
  const digits = Number(rule['prefix_digits']);
  if (!(digits >= 1 && digits <= MOST_DIGITS)) {
    throw new ServiceError('ValidationError', `Digits must be between 1 and ${MOST_DIGITS}`);
  }
  for (const row of rowsOf(rule, 'conditions')) {
    const field = String(row['field'] ?? '');
    const column = doctype.columnByName.get(field);
    if (!column)
      throw new ServiceError('ValidationError', `Row #${row.idx}: ${doctype.name} has no field ${field}`);
    const isNumber = column.kind === 'integer' || column.kind === 'real';
    if (isNumber && !Number.isFinite(Number(row['value'] ?? ''))) {
      throw new ServiceError('ValidationError', `Row #${row.idx}: the value for ${field} must be a number`);
    }
  }
}
