import type { Field } from '../../meta/meta.ts';
import { labelOf } from '../../meta/standard-fields.ts';

/** A column to choose. */
export interface ChooserColumn {
  readonly name: string;
  readonly label: string;
}

/** Fields as columns to choose from. */
export function columnsOfFields(fields: readonly Field[]): readonly ChooserColumn[] {
  return fields.map((field) => ({ name: field.fieldname, label: labelOf(field) }));
}
