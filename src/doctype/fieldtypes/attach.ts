import type { FieldType } from './fieldtype.ts';
import { longType } from './text.ts';

/** The `file_url` of a file as text; the file itself is a File document. */
export const ATTACH_TYPES: readonly FieldType[] = ['Attach', 'Attach Image'].map(longType);
