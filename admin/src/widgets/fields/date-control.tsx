import { currentCustoms } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { TextInput } from '../inputs.tsx';
import { frameOf, textOf } from './control-frame.ts';

const TYPES: Readonly<Record<string, string>> = { Date: 'date', Datetime: 'datetime-local', Time: 'time' };

/**
 * Date, Datetime and Time with the browser's own input, for its keyboard and screen reader support. A
 * Datetime is shown and edited in the site's time zone, so that all users see the same text.
 */
export function DateControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, isInCell, autoFocus } = props;
  const type = TYPES[field.fieldtype] ?? 'date';
  const text = textOf(value);
  const frame = frameOf(props);
  const { siteZone, userZone } = currentCustoms();
  const zone =
    field.fieldtype === 'Datetime' && !isInCell && siteZone !== userZone
      ? t('Time in {zone}', { zone: siteZone })
      : '';
  return (
    <TextInput
      {...frame}
      description={[frame.description, zone].filter(Boolean).join(' · ') || undefined}
      type={type}
      step={type === 'date' ? undefined : 1}
      max={type === 'date' ? '9999-12-31' : undefined}
      value={inputOf(field.fieldtype, text)}
      readOnly={isReadOnly}
      autoFocus={autoFocus}
      onChange={(next) => onChange(wireOf(field.fieldtype, next))}
      onBlur={onCommit}
      // Alt with the arrow key opens the browser's calendar; the event stops here.
      onKeyDown={(event) => event.altKey && event.key === 'ArrowDown' && event.stopPropagation()}
    />
  );
}

/** A wire value for the input, without fractions of a second. */
export function inputOf(fieldtype: string, text: string): string {
  if (fieldtype === 'Datetime') return text.slice(0, 19).replace(' ', 'T');
  return fieldtype === 'Time' ? text.slice(0, 8).padStart(text === '' ? 0 : 8, '0') : text.slice(0, 10);
}

/** The input's text as a wire value; null while it is incomplete. */
export function wireOf(fieldtype: string, text: string): string | null {
  if (text === '') return null;
  // Browsers omit seconds of zero.
  const full = /(?:^|T)\d\d:\d\d$/.test(text) && fieldtype !== 'Date' ? `${text}:00` : text;
  return full.replace('T', ' ');
}
