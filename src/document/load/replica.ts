import type { Connection } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import type { DocType } from '../../doctype/doctype.ts';
import { memo } from '../../kernel/memo.ts';
import type { Context } from '../contract.ts';

/**
 * The context that reads the rows of a doctype: from `replica`, or from the primary if there is none or the doctype
 * must not come from one. Rights are decided with the original context.
 */
export function rowContext(ctx: Context, doctype: DocType, replica: Connection | null): Context {
  return replica !== null && isOnReplicas(doctype) ? { ...ctx, db: replica } : ctx;
}

/**
 * True for a doctype whose documents may come from a replica. Those of Chancery's own doctypes are credentials,
 * permissions, definitions and the like.
 */
export function isOnReplicas(doctype: DocType): boolean {
  return doctype.app !== 'standard' && doctype.rowsFrom === 'table' && !doctype.issingle && !doctype.istable;
}

/** True for a condition on the permitted rows that looks at other rows: shares, trees, and what apps ask for. */
export const looksElsewhere = memo((condition: Sql) =>
  condition.parts.some((part) => 'text' in part && /\bselect\b/i.test(part.text)),
);
