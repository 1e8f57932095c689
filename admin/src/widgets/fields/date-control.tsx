import { useRef, useState } from 'react';
import { dateHint, readDate, readTime, writeDate } from '../../base/date-text.ts';
import { currentCustoms } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { Icon } from '../icon.tsx';
import { type FieldProps, TextInput } from '../inputs.tsx';
import { frameOf, textOf } from './control-frame.ts';
import css from './fields.module.css';

/** Date, Datetime and Time of a document. Text that is no date stays, so that the user can fix it. */
export function DateControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, isInCell, autoFocus } = props;
  const frame = frameOf(props);
  return (
    <DateInput
      {...frame}
      fieldtype={field.fieldtype}
      description={[frame.description, zoneOf(props)].filter(Boolean).join(' · ') || undefined}
      value={textOf(value)}
      onChange={onChange}
      onBlur={() => {
        const problem = problemOfDate(field.fieldtype, value);
        if (problem !== null) props.onProblem?.(problem);
        onCommit?.();
      }}
      {...{ isReadOnly, isInCell, autoFocus }}
    />
  );
}

interface DateInputProps extends FieldProps {
  readonly 'aria-label'?: string;
  /** Date, Datetime or Time. */
  readonly fieldtype: string;
  /** On the wire, or text that is no date. */
  readonly value: string;
  /** Called with null for no date. */
  readonly onChange: (value: string | null) => void;
  readonly onBlur?: () => void;
  readonly isReadOnly?: boolean;
  readonly isInCell?: boolean;
  readonly autoFocus?: boolean;
}

/**
 * A date or time as text in the user's language: the browser's own inputs follow its language. A Datetime is
 * shown and edited in the site's time zone, so that all users see the same text.
 */
export function DateInput(props: DateInputProps) {
  const { fieldtype, value, onChange, onBlur, isReadOnly = false, isInCell = false, ...frame } = props;
  const [draft, setDraft] = useState<string | null>(null);
  // If the value changed by undo or by a reload, the draft is outdated.
  const isMine = draft !== null && (wireOf(fieldtype, draft) ?? '') === value;
  return (
    <TextInput
      {...frame}
      className={css['number']}
      inputMode={fieldtype === 'Time' ? 'numeric' : undefined}
      placeholder={isReadOnly || isInCell ? undefined : hintOf(fieldtype)}
      value={isMine ? draft : inputOf(fieldtype, value)}
      readOnly={isReadOnly}
      autoComplete="off"
      onChange={(next) => {
        setDraft(next);
        onChange(wireOf(fieldtype, next));
      }}
      onBlur={() => {
        setDraft(null);
        onBlur?.();
      }}
      end={
        isReadOnly || fieldtype === 'Time' ? undefined : (
          <Calendar text={value} onChange={(date) => onChange(withDate(fieldtype, value, date))} />
        )
      }
    />
  );
}

interface CalendarProps {
  readonly text: string;
  readonly onChange: (date: string) => void;
}

// The browser's calendar, for the pointer. Keyboards type the date.
function Calendar({ text, onChange }: CalendarProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className={css['tool']}
        tabIndex={-1}
        aria-label={t('Calendar')}
        onClick={() => input.current?.showPicker()}
      >
        <Icon name="calendar" size={14} />
      </button>
      <input
        ref={input}
        type="date"
        className={css['calendar']}
        tabIndex={-1}
        aria-hidden="true"
        max="9999-12-31"
        value={/^\d{4}-\d\d-\d\d/.test(text) ? text.slice(0, 10) : ''}
        onChange={(event) => event.currentTarget.value !== '' && onChange(event.currentTarget.value)}
      />
    </>
  );
}

function zoneOf({ field, isInCell }: ControlProps): string {
  const { siteZone, userZone } = currentCustoms();
  return field.fieldtype === 'Datetime' && !isInCell && siteZone !== userZone
    ? t('Time in {zone}', { zone: siteZone })
    : '';
}

function hintOf(fieldtype: string): string {
  if (fieldtype === 'Time') return 'HH:MM:SS';
  return fieldtype === 'Date' ? dateHint() : `${dateHint()} HH:MM:SS`;
}

function withDate(fieldtype: string, text: string, date: string): string {
  return fieldtype === 'Date' ? date : `${date} ${text.slice(11, 19) || '00:00:00'}`;
}

/** A wire value for the input, without fractions of a second. */
export function inputOf(fieldtype: string, text: string): string {
  if (fieldtype === 'Date') return writeDate(text.slice(0, 10)) + text.slice(10);
  if (fieldtype === 'Time') return readTime(text) ?? text;
  const time = readTime(text.slice(11));
  return time === undefined ? text : `${writeDate(text.slice(0, 10))} ${time}`;
}

/** The input's text as a wire value: null if it is empty, the text itself if it is no date. */
export function wireOf(fieldtype: string, text: string): string | null {
  if (text.trim() === '') return null;
  if (fieldtype === 'Time') return readTime(text) ?? text;
  if (fieldtype === 'Date') return readDate(text) ?? text;
  const [day, hour = '00:00'] = dayAndHour(text.trim());
  const [date, time] = [readDate(day), readTime(hour)];
  return date === undefined || time === undefined ? text : `${date} ${time}`;
}

/** The last word is the hour if it has a colon. */
function dayAndHour(text: string): readonly [day: string, hour?: string] {
  const last = text.split(/[\sT,]+/).at(-1) ?? '';
  if (!/^\d{1,2}:/.test(last) || last === text) return [text];
  let end = text.length - last.length;
  while (end > 0 && /[\sT,]/.test(text.charAt(end - 1))) end -= 1;
  return [text.slice(0, end), last];
}

/** The error of a typed date or time; null if it is valid. */
export function problemOfDate(fieldtype: string, value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const shapes: Readonly<Record<string, RegExp>> = {
    Date: /^\d{4}-\d\d-\d\d$/,
    Datetime: /^\d{4}-\d\d-\d\d[ T]\d{1,2}:\d\d(:\d\d(\.\d+)?)?$/,
    Time: /^\d{1,3}:\d\d(:\d\d(\.\d+)?)?$/,
  };
  return shapes[fieldtype]?.test(value) === false
    ? t('Enter it as {pattern}', { pattern: hintOf(fieldtype) })
    : null;
}
