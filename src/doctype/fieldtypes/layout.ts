import { type FieldType, refuse } from './fieldtype.ts';

/** Arranges a form, and has no value. */
function layoutType(name: string): FieldType {
  return {
    name,
    column: null,
    empty: () => null,
    ordered: false,
    textual: false,
    allowsUnique: false,
    coerce: () => null,
    coerceOperand: (_value, field) => refuse(field, 'has no value and cannot be compared'),
  };
}

export const LAYOUT_TYPES: readonly FieldType[] = [
  'Section Break',
  'Column Break',
  'Tab Break',
  'HTML',
  'Button',
  'Image',
  'Fold',
  'Heading',
].map(layoutType);
