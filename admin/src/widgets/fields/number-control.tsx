import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { formatValue } from '../../meta/field-values.ts';
import { TextInput } from '../inputs.tsx';
import { Muted } from '../layout.tsx';
import { frameOf, textOf } from './control-frame.ts';
import css from './fields.module.css';
import { readNumber, writeNumber } from './number-text.ts';

/**
 * Int, Float, Currency and Percent: shown in the user's number format, edited without digit groups. Invalid
 * text stays, so that the user can fix it; a save refuses it.
 */
export function NumberControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, autoFocus } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const currency = field.fieldtype === 'Currency' ? currencyOf(field.options, props.valueOf) : '';
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
      className={css['number']}
      inputMode={field.fieldtype === 'Int' ? 'numeric' : 'decimal'}
      value={shown}
      readOnly={isReadOnly}
      autoFocus={autoFocus}
      onFocus={() => setDraft(typeof value === 'number' ? writeNumber(value) : textOf(value))}
      onBlur={() => {
        setDraft(null);
        onCommit?.();
      }}
      onChange={type}
      end={unitOf(field.fieldtype, currency)}
    />
  );
}

function shownOf({ field, value }: ControlProps): string {
  if (typeof value !== 'number') return textOf(value);
  // The percent sign and the currency are shown beside the input.
  if (field.fieldtype === 'Percent') return formatValue({ ...field, fieldtype: 'Float' }, value);
  return formatValue(field, value);
}

function valueOfText(text: string): unknown {
  if (text.trim() === '') return null;
  return readNumber(text) ?? text;
}

function unitOf(fieldtype: string, currency: string) {
  if (fieldtype === 'Percent') return <Muted isSmall>%</Muted>;
  return currency === '' ? undefined : <Muted isSmall>{currency}</Muted>;
}

/** The currency of an amount. Options name its field, in this document or in a linked one. */
function currencyOf(options: string, ask: ControlProps['valueOf']): string {
  const held = options === '' ? null : ask(options);
  return typeof held === 'string' ? held : '';
}

/** The error of a typed number; null if it is valid. */
export function problemOfNumber(fieldtype: string, value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'number') return t('Enter a number');
  return fieldtype === 'Int' && !Number.isInteger(value) ? t('Enter a whole number') : null;
}
