import type { Grants } from '../../access/grants.ts';
import { applicablePermissions, isLookedAt } from '../../access/row-rule.ts';
import type { ChildRow, DocField, DocType, Document } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { isReferredDefault } from '../../doctype/parse-field.ts';
import { memo } from '../../kernel/memo.ts';
import type { FieldValue } from '../../kernel/value.ts';
import { timestamp } from '../context.ts';
import type { Context } from '../contract.ts';
import { layoutOf } from '../layout.ts';

type Rule =
  | { readonly fieldname: string; readonly value: FieldValue }
  | { readonly fieldname: string; readonly make: (ctx: Context) => FieldValue };

/** Fills fields with their defaults. Sent values are applied later and win. */
export function applyDefaults(ctx: Context, doctype: DocType, holder: Document | ChildRow): void {
  for (const rule of rulesOf(doctype)) {
    holder[rule.fieldname] = 'make' in rule ? rule.make(ctx) : rule.value;
  }
  const { grants } = ctx.user;
  if (grants && grants.permissions.size > 0 && !doctype.issingle) permittedValues(grants, doctype, holder);
}

// The default of a link from User Permissions: the only permitted document of its doctype, or the one marked
// as default.
function permittedValues(grants: Grants, doctype: DocType, holder: Document | ChildRow): void {
  for (const field of doctype.links) {
    if (!isLookedAt(doctype, field)) continue;
    const permissions = applicablePermissions(grants.permissions.get(field.options) ?? [], doctype.name);
    const chosen = permissions.length === 1 ? permissions[0] : permissions.find((one) => one.isDefault);
    if (chosen) holder[field.fieldname] = chosen.value;
  }
}

const rulesOf = memo((doctype: DocType): readonly Rule[] =>
  layoutOf(doctype).fields.flatMap(({ field }) => ruleOf(field) ?? []),
);

function ruleOf(field: DocField): Rule | null {
  const { fieldname } = field;
  const text = field.default ?? '';
  if (text === '' || isReferredDefault(field)) {
    if (field.fieldtype !== 'Select') return null;
    // A Select starts with its first option; a blank first line means "nothing chosen".
    const first = field.options.split('\n')[0]?.trim() ?? '';
    return first === '' ? null : { fieldname, value: first };
  }
  const keyword = text.trim().toLowerCase();
  if (keyword === '__user') return { fieldname, make: (ctx) => ctx.user.name };
  if (keyword === 'today' || keyword === 'now') {
    const cut = momentOf(field, keyword);
    if (cut) return { fieldname, make: (ctx) => cut(timestamp(ctx.site)) };
  }
  return { fieldname, value: fieldtypeOf(field).coerce(text, field) };
}

function momentOf(field: DocField, keyword: 'today' | 'now'): ((now: string) => string) | null {
  switch (field.fieldtype) {
    case 'Date':
      return (now) => now.slice(0, 10);
    case 'Datetime':
      return keyword === 'now' ? (now) => now : (now) => `${now.slice(0, 10)} 00:00:00.000000`;
    case 'Time':
      return keyword === 'now' ? (now) => now.slice(11) : null;
    default:
      return null;
  }
}
