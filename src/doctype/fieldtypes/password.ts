import { LIMITS } from '../../kernel/limits.ts';
import { type FieldType, TEXTUAL } from './fieldtype.ts';
import { checkLength, textOf } from './text.ts';

/** Keeps its text; the write pipeline moves it to the store of secrets and leaves only a mask. */
const password: FieldType = {
  name: 'Password',
  ...TEXTUAL,
  allowsUnique: false,
  coerce(value, field) {
    const text = textOf(value, field);
    if (text) checkLength(text, LIMITS.passwordLength, field);
    return text;
  },
  coerceOperand: textOf,
};

export const PASSWORD_TYPES: readonly FieldType[] = [password];
