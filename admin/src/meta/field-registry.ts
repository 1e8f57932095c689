import type { ComponentType } from 'react';
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
  /** The value is finished: the control was left, or Enter pressed. */
  readonly onCommit?: () => void;
  readonly isReadOnly: boolean;
  readonly isRequired: boolean;
  readonly error?: string;
  /** The doctype that the field is of, and the document; null for one that is not stored yet. */
  readonly doctype: string;
  readonly docname: string | null;
  /** Another field of the same document or row: a Dynamic Link's doctype, a currency. */
  readonly valueOf: (fieldname: string) => unknown;
  /** In a grid: no label, no description, no frame; the cell names it. */
  readonly isInCell?: boolean;
  readonly autoFocus?: boolean;
}

/** Props of a list cell. Cells are read-only and cheap: hundreds are mounted. */
export interface CellProps {
  readonly field: Field;
  readonly value: unknown;
  readonly row: Readonly<Record<string, unknown>>;
  /** Titles of linked documents; undefined while they are on their way. */
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

/** The parts of a fieldtype: those that forms, lists and filters brought, and what is known of every one. */
export interface FieldEntry {
  readonly Control: ComponentType<ControlProps> | null;
  readonly Cell: ComponentType<CellProps> | null;
  readonly FilterInput: ComponentType<FilterInputProps> | null;
  /** Parses typed or pasted text to a wire value; undefined if it is invalid. */
  readonly parse: (text: string, field: Field) => unknown;
  readonly format: (field: Field, value: unknown, currency?: string) => string;
  readonly operators: readonly Operator[];
}

type Parts = Partial<Pick<FieldEntry, 'Control' | 'Cell' | 'FilterInput' | 'parse' | 'format'>>;

const brought = new Map<string, Parts>();

/**
 * Adds parts of fieldtypes: `form/controls` brings controls, `grid/cells` cells. Later ones stand over
 * earlier ones.
 */
export function registerFields(entries: Readonly<Partial<Record<Fieldtype, Parts>>>): void {
  for (const [fieldtype, parts] of Object.entries(entries))
    brought.set(fieldtype, { ...brought.get(fieldtype), ...parts });
}

/** The entry of a fieldtype. An unknown fieldtype has no parts: show `format` of its value. */
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
