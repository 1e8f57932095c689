import { type ReactNode, useEffect, useRef } from 'react';
import css from './calendar.module.css';
import { useCalendarView } from './calendar-context.ts';
import { addDays } from './calendar-dates.ts';
import { lastDayOf } from './calendar-events.ts';
import { DayHead } from './day-head.tsx';
import { EventChip } from './event-chip.tsx';

/** A month as a list of the days that have something. */
export function AgendaView({ whenEmpty }: { readonly whenEmpty: ReactNode }) {
  const { state, day: wanted } = useCalendarView();
  const days: string[] = [];
  for (let day = state.first; day <= state.last; day = addDays(day, 1)) days.push(day);
  const filled = days
    .map((day) => ({
      day,
      events: state.events.filter((event) => event.start.slice(0, 10) <= day && lastDayOf(event) >= day),
    }))
    .filter(({ events }) => events.length > 0);
  const list = useDayInView(filled.find(({ day }) => day >= wanted)?.day);
  if (filled.length === 0) return whenEmpty;
  return (
    <ol ref={list} className={css['agenda']}>
      {filled.map(({ day, events }) => (
        <li key={day} className={css['agendaDay']} data-day={day}>
          <DayHead day={day} weekday />
          <ul>
            {events
              .toSorted((a, b) => (a.start < b.start ? -1 : 1))
              .map((event) => (
                <li key={event.name}>
                  <EventChip
                    event={event}
                    kind="line"
                    isOpenStart={event.start.slice(0, 10) < day}
                    isOpenEnd={lastDayOf(event) > day}
                  />
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

// The list of the current month begins with what is still to come.
function useDayInView(day: string | undefined) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const item = day && list.current?.querySelector<HTMLElement>(`[data-day="${day}"]`);
    if (item) list.current?.scrollTo({ top: item.offsetTop - list.current.offsetTop });
  }, [day]);
  return list;
}
