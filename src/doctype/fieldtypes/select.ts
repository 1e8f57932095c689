import { LIMITS } from '../../kernel/limits.ts';
import { memo } from '../../kernel/memo.ts';
import type { DocField } from '../doctype.ts';
import { type FieldType, quote, refuse, TEXTUAL } from './fieldtype.ts';
import { checkLength, textOf } from './text.ts';

/** One of the lines of `options`. Empty is always valid; without options, every value is. */
const select: FieldType = {
  name: 'Select',
  ...TEXTUAL,
  empty: (field) => (startsBlank(field) ? '' : null),
  allowsUnique: true,
  coerce(value, field) {
    const text = textOf(value, field)?.trim() ?? null;
    if (text === null || (text === '' && field.unique)) return select.empty(field);
    if (text === '') return text;
    checkLength(text, field.length || LIMITS.dataLength, field);
    checkOption(text, field);
    return text;
  },
  coerceOperand: textOf,
};

// A new document has the first option, and here that is the blank one: '' and not null, so that documents
// with nothing chosen form one group.
function startsBlank(field: DocField): boolean {
  return !field.unique && (field.default ?? '') === '' && /^[^\S\n]*\n/.test(field.options);
}

function checkOption(text: string, field: DocField): void {
  // A series is a pattern, which the naming rules check, so that a new one needs no change of metadata.
  if (field.fieldname === 'naming_series') return;
  const options = optionsOf(field);
  if (options.size === 0 || options.has(text)) return;
  const named = [...options].slice(0, 30).map(quote).join(', ');
  refuse(field, `cannot be ${quote(text)}. It should be one of ${named}`);
}

/** The options of a Select, trimmed, in order, without the empty one. */
export const optionsOf = memo((field: DocField): ReadonlySet<string> => {
  const lines = field.options.split('\n').map((line) => line.trim());
  return new Set(lines.filter((line) => line !== ''));
});

export const SELECT_TYPES: readonly FieldType[] = [select];
