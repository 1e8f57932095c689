import { useEffect, useRef, useState } from 'react';
import { t } from '../../../base/i18n.ts';
import { useGo } from '../../../base/navigation.tsx';
import css from './calendar.module.css';
import { useCalendarView } from './calendar-context.ts';
import { weeksOfMonth } from './calendar-dates.ts';
import { type Bar, barsOf, type CalendarEvent } from './calendar-events.ts';
import { weekdayWords } from './calendar-words.ts';
import { DayHead } from './day-head.tsx';
import { EventChip } from './event-chip.tsx';

/** Pixels of a line of a week, and above the first line: the style sheet has the same. */
const LINE = 24;
const HEAD = 32;

/** A month: its weeks below each other, with bars over the days of each event. */
export function MonthView() {
  const { day, weekStart, state } = useCalendarView();
  const weeks = weeksOfMonth(day, weekStart);
  const holder = useRef<HTMLDivElement>(null);
  const lines = useLines(holder, weeks.length);
  return (
    <div className={css['month']}>
      <div className={css['weekdays']} aria-hidden="true">
        {weekdayWords(weeks[0]?.[0] ?? day, 'short').map((word) => (
          <span key={word}>{word}</span>
        ))}
      </div>
      <div ref={holder} className={css['weeks']}>
        {weeks.map((days) => (
          <WeekRow key={days[0]} days={days} events={state.events} lines={lines} month={day.slice(0, 7)} />
        ))}
      </div>
    </div>
  );
}

/** The days of a week, and its bars as far as there is room. */
export function WeekRow({
  days,
  events,
  lines,
  month,
  hasWeekdays = false,
}: {
  readonly days: readonly string[];
  readonly events: readonly CalendarEvent[];
  readonly lines: number;
  /** Days of other months are dimmed; null without a month. */
  readonly month: string | null;
  readonly hasWeekdays?: boolean;
}) {
  const { canCreate, newPath, showDay } = useCalendarView();
  const go = useGo();
  const bars = barsOf(events, days);
  const shown = bars.filter(({ line }) => line < lines);
  return (
    <div className={css['week']} style={{ gridTemplateColumns: `repeat(${days.length}, minmax(0, 1fr))` }}>
      {days.map((day, at) => {
        const hidden = bars.filter(
          ({ first, last, line }) => first <= at && last >= at && line >= lines,
        ).length;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: its head has the same link
          <div
            key={day}
            className={css['day']}
            data-day={day}
            data-other={(month !== null && day.slice(0, 7) !== month) || undefined}
            onClick={(event) => event.target === event.currentTarget && canCreate && go(newPath(day))}
          >
            <DayHead day={day} weekday={hasWeekdays} />
            {hidden > 0 && (
              <button type="button" className={css['more']} onClick={() => showDay(day)}>
                {t('{count} more', { count: hidden })}
              </button>
            )}
          </div>
        );
      })}
      <ul className={css['bars']}>
        {shown.map((bar) => (
          <li key={bar.event.name} className={css['bar']} style={placeOf(bar, days.length)}>
            <EventChip event={bar.event} kind="bar" isOpenStart={!bar.startsHere} isOpenEnd={!bar.endsHere} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function placeOf({ first, last, line }: Bar, days: number) {
  return {
    insetInlineStart: `${(100 * first) / days}%`,
    inlineSize: `${(100 * (last - first + 1)) / days}%`,
    insetBlockStart: HEAD + line * LINE,
  };
}

/** The lines that fit into each week, with room for "more" below them. */
function useLines(holder: { readonly current: HTMLElement | null }, weeks: number): number {
  const [lines, setLines] = useState(3);
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const height = element.clientHeight / weeks;
      setLines(Math.max(1, Math.floor((height - HEAD - 20) / LINE)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [holder, weeks]);
  return lines;
}
