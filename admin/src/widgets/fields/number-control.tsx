import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { formatValue } from '../../meta/field-values.ts';
import { TextInput } from '../inputs.tsx';
import { Muted } from '../layout.tsx';
import { frameOf, textOf } from './control-frame.ts';
import css from './fields.module.css';
import { readNumber, writeNumber } from './number-text.ts';
import { placeholderOf } from './placeholder.ts';

/**
 * Int, Float, Currency and Percent: shown in the user's number format, edited without digit groups. Invalid
 * text stays, so that the user can fix it; a save refuses it.
 */
export function NumberControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, autoFocus } = props;
  const [draft, setDraft] = useState<string | null>(null);
  // If the value changed by undo or by a reload, the draft is outdated.
  const isMine = draft !== null && Object.is(valueOfText(draft), value ?? null);
  const shown = isMine ? draft : shownOf(props);
  const type = (text: string) => {
    setDraft(text);
    onChange(valueOfText(text));
  };
  return (
    <TextInput
      {...frameOf(props)}
      className={`${css['number']} ${css['amount']}`}
      inputMode={field.fieldtype === 'Int' ? 'numeric' : 'decimal'}
      value={shown}
      readOnly={isReadOnly}
      placeholder={isCalculated(props) ? t('Calculated on save') : placeholderOf(props)}
      autoFocus={autoFocus}
      onFocus={() => setDraft(typeof value === 'number' ? writeNumber(value) : textOf(value))}
      onBlur={() => {
        setDraft(null);
        onCommit?.();
      }}
      onChange={type}
      end={field.fieldtype === 'Percent' ? <Muted isSmall>%</Muted> : undefined}
    />
  );
}

// Only the server knows it, and it has not said it yet.
function isCalculated({ field, docname, isReadOnly }: ControlProps): boolean {
  return docname === null && isReadOnly && field.read_only && field.default === '';
}

function shownOf({ field, value, valueOf: ask }: ControlProps): string {
  if (typeof value !== 'number') return textOf(value);
  // The percent sign is shown beside the input.
  if (field.fieldtype === 'Percent') return formatValue({ ...field, fieldtype: 'Float' }, value);
  return formatValue(field, value, ask);
}

function valueOfText(text: string): unknown {
  if (text.trim() === '') return null;
  return readNumber(text) ?? text;
}

/** The error of a typed number; null if it is valid. */
export function problemOfNumber(fieldtype: string, value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'number') return t('Enter a number');
  return fieldtype === 'Int' && !Number.isInteger(value) ? t('Enter a whole number') : null;
}
