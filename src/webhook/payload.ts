import type { DocType, DoctypeRegistry, Document } from '../doctype/doctype.ts';
import { presentDocument } from '../document/present.ts';
import { LIMITS } from '../kernel/limits.ts';
import { isRecord } from '../kernel/value.ts';
import { floatText, jsonText, objectText, quote } from './python-json.ts';

/** One entry of a payload: a field of the document under a key. */
export interface PayloadField {
  readonly fieldname: string;
  readonly key: string;
}

export interface PayloadFormat {
  readonly doctypes: DoctypeRegistry;
  /** Digits of timestamps. */
  readonly precision: 'seconds' | 'microseconds';
}

/**
 * The body of a delivery, as the text that is signed and sent. Names the chosen fields, or with none chosen the whole
 * document as a client would read it, nulls included. Values of Password fields never appear. A body above the limit
 * becomes a thin one that names the document: the receiver can fetch it.
 */
export function renderPayload(
  format: PayloadFormat,
  doctype: DocType,
  doc: Document,
  fields: readonly PayloadField[],
): string {
  const wire = presentDocument(format.doctypes, doc, { nulls: true, precision: format.precision });
  const body =
    fields.length > 0 ? chosenText(format, doctype, wire, fields) : holderText(format, doctype, wire);
  if (body.length <= LIMITS.deliveryBodyBytes) return body;
  return objectText([
    ['doctype', quote(doctype.name)],
    ['name', quote(doc.name)],
    ['truncated', 'true'],
  ]);
}

type Wire = Readonly<Record<string, unknown>>;

function chosenText(
  format: PayloadFormat,
  doctype: DocType,
  wire: Wire,
  fields: readonly PayloadField[],
): string {
  return objectText(
    fields.map(({ fieldname, key }) => {
      // A field may have become secret, or be gone, since the webhook was saved.
      const shown = Object.hasOwn(wire, fieldname) && !isSecret(doctype, fieldname);
      return [key, shown ? valueText(format, doctype, fieldname, wire[fieldname]) : 'null'];
    }),
  );
}

function holderText(format: PayloadFormat, doctype: DocType, wire: Wire): string {
  const shown = Object.entries(wire).filter(([fieldname]) => !isSecret(doctype, fieldname));
  return objectText(
    shown.map(([fieldname, value]) => [fieldname, valueText(format, doctype, fieldname, value)]),
  );
}

function isSecret(doctype: DocType, fieldname: string): boolean {
  return doctype.fieldByName.get(fieldname)?.fieldtype === 'Password';
}

function valueText(format: PayloadFormat, doctype: DocType, fieldname: string, value: unknown): string {
  if (typeof value === 'number') {
    return doctype.columnByName.get(fieldname)?.kind === 'real' ? floatText(value) : jsonText(value);
  }
  if (!Array.isArray(value)) return jsonText(value);
  const child = format.doctypes.get(doctype.fieldByName.get(fieldname)?.options ?? '');
  return `[${value
    .filter(isRecord)
    .map((row) => holderText(format, child, row))
    .join(', ')}]`;
}
