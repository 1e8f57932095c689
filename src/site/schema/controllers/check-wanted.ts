import type { DocType } from '../../../doctype/doctype.ts';
import type { Context } from '../../../document/contract.ts';
import { requireRows } from '../../../document/write/input.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { Fields } from '../../../kernel/value.ts';

const PARTS = ['fields', 'permissions'];

/**
 * Refuses a definition with unreadable rows, as a DocType document does: rows that a design lacks are deleted,
 * so that nothing unreadable may count as no rows.
 * @throws ServiceError ValidationError
 */
export function checkWanted(ctx: Context, definition: Fields): void {
  for (const table of ctx.doctypes.get('DocType').tables) {
    const value = definition[table.fieldname];
    if (!PARTS.includes(table.fieldname) || value === undefined) continue;
    for (const [index, { fieldname }] of requireRows(table, value).entries()) {
      if (typeof fieldname !== 'object' || fieldname === null) continue;
      const place = `${table.label} Row #${index + 1}`;
      throw new ServiceError('ValidationError', `${place}: Value for Fieldname must be text`);
    }
  }
}

/** The name of a new doctype; '' when it has none. @throws ServiceError ValidationError */
export function requireName({ name }: Fields): string {
  if (name === undefined || name === null) return '';
  if (typeof name === 'string' || typeof name === 'number') return String(name);
  throw new ServiceError('ValidationError', 'Value for Name must be text');
}

/**
 * Refuses to take away all permissions: without those of the site, the ones of the definition come back.
 * @throws ServiceError ValidationError
 */
export function requirePermissions({ name, istable, permissions }: DocType, definition: Fields): void {
  const wanted = definition['permissions'];
  if (istable || permissions.length === 0 || !Array.isArray(wanted) || wanted.length > 0) return;
  throw new ServiceError('ValidationError', `${name} needs at least one permission rule`);
}
