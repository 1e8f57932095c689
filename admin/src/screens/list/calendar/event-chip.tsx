import type { CSSProperties, KeyboardEvent } from 'react';
import { PathLink } from '../../../base/navigation.tsx';
import { paths } from '../../../base/paths.ts';
import { formatValue } from '../../../meta/field-values.ts';
import { hueOf } from '../../../meta/hues.ts';
import css from './calendar.module.css';
import { useCalendarView } from './calendar-context.ts';
import type { CalendarEvent, Shift } from './calendar-events.ts';
import { eventTimes, timeWords } from './calendar-words.ts';

export interface EventChipProps {
  readonly event: CalendarEvent;
  readonly kind: 'bar' | 'block' | 'line';
  /** Of a block: it has room for one line, for two, or more. */
  readonly size?: 'line' | 'low' | undefined;
  readonly style?: CSSProperties;
  /** The event goes on beyond this week. */
  readonly isOpenStart?: boolean;
  readonly isOpenEnd?: boolean;
}

/** An event as a link to its document, which can be dragged. */
export function EventChip({ event, kind, size, style, isOpenStart, isOpenEnd }: EventChipProps) {
  const { meta, calendar, state } = useCalendarView();
  const value = calendar.color && event.row[calendar.color.fieldname];
  const hue = value ? hueOf(String(value)) : 'blue';
  // What the colour says, in words.
  const told = [eventTimes(event), ...(value && calendar.color ? [formatValue(calendar.color, value)] : [])];
  const isMovable = kind !== 'line' && state.canMove(event);
  const isResizable = kind !== 'line' && !isOpenEnd && state.canResize(event);
  const time = timesOf(event, kind, isOpenStart, isOpenEnd);
  const onKeyDown = (press: KeyboardEvent) => {
    const rtl = getComputedStyle(press.currentTarget).direction === 'rtl';
    const shift = shiftOf(press, rtl, kind === 'block');
    if (!shift || !isMovable) return;
    press.preventDefault();
    press.stopPropagation();
    state.shift(event, press.ctrlKey || press.metaKey ? 'end' : 'move', shift);
  };
  return (
    <PathLink
      className={css['event']}
      to={paths.record(meta.name, event.name)}
      style={style}
      draggable={false}
      data-event={event.name}
      data-kind={kind}
      data-hue={hue}
      data-movable={isMovable || undefined}
      data-size={size}
      data-open-start={isOpenStart || undefined}
      data-open-end={isOpenEnd || undefined}
      title={[event.title, ...told].join('\n')}
      onKeyDown={onKeyDown}
    >
      {time !== '' && <span className={css['time']}>{time}</span>}
      <span className={css['what']} dir="auto">
        {event.title}
      </span>
      <span className="visually-hidden">, {told.join(', ')}</span>
      {isResizable && <span className={css['handle']} data-handle />}
    </PathLink>
  );
}

// A line has room for the end, too. A day in the middle of an event has neither.
function timesOf(
  { isAllDay, start, end }: CalendarEvent,
  kind: EventChipProps['kind'],
  isOpenStart = false,
  isOpenEnd = false,
): string {
  if (isAllDay) return '';
  const from = isOpenStart ? '' : timeWords(start);
  if (kind !== 'line') return from;
  const to = isOpenEnd ? '' : timeWords(end);
  return from || to ? `${from} – ${to}`.trim() : '';
}

// Shift with arrows moves by days and weeks, or in a time grid by quarters of an hour.
function shiftOf({ key, shiftKey, altKey }: KeyboardEvent, isRtl: boolean, isTimed: boolean): Shift | null {
  if (!shiftKey || altKey) return null;
  const across = isRtl ? -1 : 1;
  switch (key) {
    case 'ArrowRight':
      return { days: across, minutes: 0 };
    case 'ArrowLeft':
      return { days: -across, minutes: 0 };
    case 'ArrowDown':
      return isTimed ? { days: 0, minutes: 15 } : { days: 7, minutes: 0 };
    case 'ArrowUp':
      return isTimed ? { days: 0, minutes: -15 } : { days: -7, minutes: 0 };
    default:
      return null;
  }
}
