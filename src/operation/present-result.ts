import type { DoctypeRegistry, Document } from '../doctype/doctype.ts';
import type { Site } from '../document/contract.ts';
import { presentDocument } from '../document/load/present.ts';
import { isRecord } from '../kernel/value.ts';

/** A method's result on the wire: documents, alone or in a list, are in their wire form with nulls. */
export function presentResult(site: Site, result: unknown): unknown {
  const registry = site.doctypes;
  const form = { nulls: true, precision: site.settings.timestampPrecision } as const;
  if (isDocument(registry, result)) return presentDocument(registry, result, form);
  if (Array.isArray(result) && result.some((item) => isDocument(registry, item))) {
    return result.map((item) => (isDocument(registry, item) ? presentDocument(registry, item, form) : item));
  }
  return result;
}

function isDocument(registry: DoctypeRegistry, value: unknown): value is Document {
  return (
    isRecord(value) &&
    typeof value.doctype === 'string' &&
    typeof value.name === 'string' &&
    typeof value.docstatus === 'number' &&
    registry.find(value.doctype) !== undefined
  );
}
