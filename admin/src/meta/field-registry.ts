import type { ComponentType } from 'react';
import type { Ask } from './currency.ts';
import { formatValue } from './field-values.ts';
import type { Fieldtype } from './fieldtypes.ts';
import type { Field } from './meta.ts';
import { type Operator, operatorsOf } from './operators.ts';

/**
 * Props of a control in a form, a drawer or an edited cell. Values are wire values: text, number, null, rows.
 */
export interface ControlProps {
  readonly field: Field;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Called when the value is final: on blur or Enter. */
  readonly onCommit?: () => void;
  /** Called when the value is text that is no value of the field, with the reason. */
  readonly onProblem?: (message: string) => void;
  readonly isReadOnly: boolean;
  readonly isRequired: boolean;
  readonly error?: string;
  /** The field's doctype, and the document's name; null for a new document. */
  readonly doctype: string;
  readonly docname: string | null;
  /** Value of another field of the same document or row, such as a Dynamic Link's doctype or a currency. */
  readonly valueOf: (fieldname: string) => unknown;
  /** In a grid cell: without label, description and frame. The cell gives the accessible name. */
  readonly isInCell?: boolean;
  readonly autoFocus?: boolean;
}

/** Props of a list cell. Cells are read-only and cheap: hundreds are mounted. */
export interface CellProps {
  readonly field: Field;
  readonly value: unknown;
  readonly row: Readonly<Record<string, unknown>>;
  /** Titles of linked documents; undefined while they load. */
  readonly titleOf: (doctype: string, name: string) => string | undefined;
}

/** Props of the input for a filter's value. */
export interface FilterInputProps {
  readonly field: Field;
  readonly operator: Operator;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly label: string;
}

/** The components and functions of a fieldtype. Forms, lists and filters register the components. */
export interface FieldEntry {
  readonly Control: ComponentType<ControlProps> | null;
  readonly Cell: ComponentType<CellProps> | null;
  readonly FilterInput: ComponentType<FilterInputProps> | null;
  /** Parses typed or pasted text to a wire value; undefined if it is invalid. */
  readonly parse: (text: string, field: Field) => unknown;
  readonly format: (field: Field, value: unknown, ask?: Ask) => string;
  readonly operators: readonly Operator[];
}

type Parts = Partial<Pick<FieldEntry, 'Control' | 'Cell' | 'FilterInput' | 'parse' | 'format'>>;

const brought = new Map<string, Parts>();

/**
 * Registers parts of fieldtypes: `form/controls` adds controls, `grid/cells` adds cells. Later entries
 * override earlier ones.
 */
export function registerFields(entries: Readonly<Partial<Record<Fieldtype, Parts>>>): void {
  for (const [fieldtype, parts] of Object.entries(entries))
    brought.set(fieldtype, { ...brought.get(fieldtype), ...parts });
}

/** The entry of a fieldtype. An unknown fieldtype has no components: show its value with `format`. */
export function fieldEntry(fieldtype: string): FieldEntry {
  return {
    Control: null,
    Cell: null,
    FilterInput: null,
    parse: parseText,
    format: formatValue,
    operators: operatorsOf(fieldtype),
    ...brought.get(fieldtype),
  };
}

function parseText(text: string, field: Field): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  switch (field.fieldtype) {
    case 'Int':
    case 'Float':
    case 'Currency':
    case 'Percent':
    case 'Duration':
    case 'Rating': {
      const number = Number(trimmed.replaceAll(/[\s,](?=\d{3}(\D|$))/g, ''));
      return Number.isFinite(number) ? number : undefined;
    }
    case 'Check':
      if (/^(1|true|yes|x|✓)$/i.test(trimmed)) return 1;
      return /^(0|false|no|-)$/i.test(trimmed) ? 0 : undefined;
    default:
      return text;
  }
}
