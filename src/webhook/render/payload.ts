import type { DocType, Document } from '../../doctype/doctype.ts';
import { wireName } from '../../doctype/numbered.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { type Changed, changedFields, hasChanged } from './changed-fields.ts';
import { documentText, fieldText, type PayloadFormat, shapeOf } from './document-text.ts';
import { jsonText, objectText, quote } from './python-json.ts';

/** One entry of a payload: a field of the document under a key. */
export interface PayloadField {
  readonly fieldname: string;
  readonly key: string;
}

/** The content of a payload without a template. */
export interface PayloadPlan {
  /** Empty: the whole document. */
  readonly fields: readonly PayloadField[];
  /** Adds `__previous`: the former values of those fields that changed. */
  readonly includePrevious: boolean;
}

/**
 * The body of a delivery as JSON text: the chosen fields, or the whole document as a client would read it,
 * nulls included. Values of Password fields never appear. A body above the size limit becomes `thinPayload`.
 */
export function renderPayload(format: PayloadFormat, changed: Changed, plan: PayloadPlan): string {
  const { doctype, doc } = changed;
  let text =
    plan.fields.length > 0
      ? chosenText(format, doctype, doc, plan.fields)
      : documentText(format, doctype, doc);
  if (plan.includePrevious) text += `, "__previous": ${previousText(format, changed, plan.fields)}`;
  return text.length + 2 <= LIMITS.deliveryBodyBytes ? `{${text}}` : thinPayload(doctype, doc);
}

/** Replaces a body above the size limit: the receiver can fetch the document that it names. */
export function thinPayload(doctype: DocType, doc: Document): string {
  return objectText([
    ['doctype', quote(doctype.name)],
    ['name', jsonText(wireName(doctype, doc.name))],
    ['truncated', 'true'],
  ]);
}

/** A JSON object as a form: nulls are empty, tables and objects are JSON text. Encoded, so that it is ASCII. */
export function formText(json: string): string {
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries<unknown>(JSON.parse(json))) {
    form.append(key, typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value));
  }
  return form.toString();
}

function chosenText(
  format: PayloadFormat,
  doctype: DocType,
  doc: Document,
  fields: readonly PayloadField[],
): string {
  // A field that became secret or was removed since the webhook was saved is sent as null.
  return fields
    .map(({ fieldname, key }) => `${quote(key)}: ${fieldText(format, doctype, doc, fieldname)}`)
    .join(', ');
}

function previousText(format: PayloadFormat, changed: Changed, fields: readonly PayloadField[]): string {
  const { doctype, before } = changed;
  if (!before) return 'null';
  const { byName } = shapeOf(doctype);
  const shown =
    fields.length > 0
      ? fields.filter(({ fieldname }) => hasChanged(changed, fieldname))
      : changedFields(changed).map((fieldname) => ({ fieldname, key: fieldname }));
  return objectText(
    shown
      .filter(({ fieldname }) => byName.has(fieldname))
      .map(({ fieldname, key }) => [key, fieldText(format, doctype, before, fieldname)]),
  );
}
