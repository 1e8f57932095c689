import { type ReactNode, useEffect, useRef } from 'react';
import { formatTime } from '../../../base/format.ts';
import { useGo } from '../../../base/navigation.tsx';
import css from './calendar.module.css';
import { useCalendarView } from './calendar-context.ts';
import { addDays } from './calendar-dates.ts';
import { type Block, barsOf, blocksOf, isLong } from './calendar-events.ts';
import { EventChip } from './event-chip.tsx';
import { WeekRow } from './month-view.tsx';

/** Pixels of an hour: the style sheet has the same. */
const HOUR = 48;
const MORNING = 7;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** A week or a day: whole days above, hours below. */
export function TimeView() {
  const { state } = useCalendarView();
  const { first, last, events, isAllDay } = state;
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  const long = events.filter(isLong);
  const lines = Math.max(1, ...barsOf(long, days).map(({ line }) => line + 1));
  if (isAllDay)
    return (
      <div className={css['allDay']} data-tall>
        <WeekRow days={days} events={events} lines={1_000} month={null} hasWeekdays />
      </div>
    );
  return (
    <div className={css['times']}>
      <Hours days={days}>
        <div className={css['allDay']} style={{ blockSize: 44 + Math.min(lines, 5) * 24 }}>
          <WeekRow days={days} events={long} lines={5} month={null} hasWeekdays />
        </div>
      </Hours>
    </div>
  );
}

function Hours({ days, children }: { readonly days: readonly string[]; readonly children: ReactNode }) {
  const { state } = useCalendarView();
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (holder.current) holder.current.scrollTop = (MORNING - 0.5) * HOUR;
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by keyboard
    <div ref={holder} className={css['hours']} data-scroll tabIndex={0}>
      {children}
      <div className={css['hourGrid']} style={{ blockSize: 24 * HOUR }}>
        <div className={css['hourNames']} aria-hidden="true">
          {HOURS.slice(1).map((hour) => (
            <span key={hour} style={{ insetBlockStart: hour * HOUR }}>
              {formatTime(`${String(hour).padStart(2, '0')}:00:00`)}
            </span>
          ))}
        </div>
        {days.map((day) => (
          <DayColumn key={day} day={day} blocks={blocksOf(state.events, day)} />
        ))}
      </div>
    </div>
  );
}

function DayColumn({ day, blocks }: { readonly day: string; readonly blocks: readonly Block[] }) {
  const { canCreate, newPath, today } = useCalendarView();
  const go = useGo();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the head of the day has a link
    <div
      className={css['column']}
      data-day={day}
      data-hour={HOUR}
      data-today={day === today || undefined}
      onClick={(event) => {
        if (event.target !== event.currentTarget || !canCreate) return;
        const minutes = 30 * Math.floor(event.nativeEvent.offsetY / (HOUR / 2));
        go(newPath(`${day} ${clock(minutes)}`));
      }}
    >
      {blocks.map(({ event, from, to, column, columns }) => (
        <EventChip
          key={event.name}
          event={event}
          kind="block"
          size={to - from < 45 ? 'line' : to - from < 80 ? 'low' : undefined}
          style={{
            insetBlockStart: (from * HOUR) / 60,
            blockSize: ((to - from) * HOUR) / 60 - 2,
            insetInlineStart: `${(100 * column) / columns}%`,
            inlineSize: `calc(${100 / columns}% - 3px)`,
          }}
        />
      ))}
    </div>
  );
}

function clock(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
}
