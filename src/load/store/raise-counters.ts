import type { DocType, Document } from '../../doctype/doctype.ts';
import { isNumbered } from '../../doctype/numbered.ts';
import type { Context } from '../../document/contract.ts';
import { nameParts } from '../../document/naming/naming.ts';
import { raiseRules } from '../../document/naming/naming-rules.ts';
import { countOn, type NamePart, namePattern, raiseCounter } from '../../document/naming/series.ts';
import { ServiceError } from '../../kernel/errors.ts';

/** Moves the counters of a doctype past the names of these documents, in their transaction. */
export async function raiseCounters(
  ctx: Context,
  doctype: DocType,
  docs: readonly Document[],
): Promise<void> {
  if (doctype.istable || doctype.issingle || docs.length === 0) return;
  if (isNumbered(doctype)) await countOn(ctx.db, doctype);
  const highest = new Map<string, number>();
  const patterns = new Map<string, RegExp | null>();
  for (const doc of docs) {
    const match = patternOf(doctype, doc, patterns)?.exec(doc.name);
    if (!match) continue;
    const [, key = '', number = ''] = match;
    highest.set(key, Math.max(highest.get(key) ?? 0, Number(number)));
  }
  // In one order, so that two loads do not wait for each other.
  for (const [key, number] of [...highest].sort()) await raiseCounter(ctx.db, key, number);
  await raiseRules(ctx, doctype, docs);
}

/** The pattern of counted names. Kept by series, unless fields are a part of the name. */
function patternOf(doctype: DocType, doc: Document, kept: Map<string, RegExp | null>): RegExp | null {
  const series = String(doc['naming_series'] ?? '');
  const known = kept.get(series);
  if (known !== undefined) return known;
  const parts = partsOf(doctype, doc);
  if (!parts.some((part) => 'digits' in part)) {
    kept.set(series, null);
    return null;
  }
  const pattern = namePattern(parts, doc);
  if (!parts.some((part) => 'field' in part)) kept.set(series, pattern);
  return pattern;
}

function partsOf(doctype: DocType, doc: Document): readonly NamePart[] {
  try {
    return nameParts(doctype, doc);
  } catch (error) {
    // A document may lack its series, or have one of former times.
    if (error instanceof ServiceError) return [];
    throw error;
  }
}
