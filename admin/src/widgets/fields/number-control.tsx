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
 * Int, Float, Currency, Percent: shown by the customs of the reader, edited without groups. What is no number
 * stays as it was typed, for its author to mend: it is refused when the form is saved.
 */
export function NumberControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, autoFocus } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const currency = field.fieldtype === 'Currency' ? currencyOf(field.options, props.valueOf) : '';
  // A draft that no longer says what the value is was overtaken: by undo, or by what the server stored.
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
  // The sign of percent, and the currency, stand beside it.
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

/**
 * The currency of an amount: options name the field that holds it, here or in a document that a link leads
 * to.
 */
function currencyOf(options: string, ask: ControlProps['valueOf']): string {
  const held = options === '' ? null : ask(options);
  return typeof held === 'string' ? held : '';
}

/** What is wrong with a number as it was typed; null for none. */
export function problemOfNumber(fieldtype: string, value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'number') return t('Enter a number');
  return fieldtype === 'Int' && !Number.isInteger(value) ? t('Enter a whole number') : null;
}
