import { LIMITS } from '../../kernel/limits.ts';
import type { FieldValue } from '../../kernel/value.ts';
import type { DocField } from '../doctype.ts';
import { type FieldType, TEXTUAL } from './fieldtype.ts';
import { checkLength, textOf } from './text.ts';

// Names are stored in NFC, and so are links to them: two spellings of one name are one link.
function parseLink(value: unknown, field: DocField): FieldValue {
  return textOf(value, field)?.normalize('NFC') || null;
}

/** The name of another document. The write pipeline checks that it exists. */
function linkType(name: string): FieldType {
  return {
    name,
    ...TEXTUAL,
    allowsUnique: true,
    coerce(value, field) {
      const target = parseLink(value, field);
      if (typeof target === 'string') checkLength(target, LIMITS.nameLength, field);
      return target;
    },
    coerceOperand: parseLink,
  };
}

export const LINK_TYPES: readonly FieldType[] = ['Link', 'Dynamic Link'].map(linkType);
