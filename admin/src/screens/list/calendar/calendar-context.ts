import { createContext, use } from 'react';
import type { Meta } from '../../../meta/meta.ts';
import type { CalendarEvent, Shift } from './calendar-events.ts';
import type { Calendar } from './calendar-settings.ts';
import type { CalendarState } from './use-calendar.ts';

/** What all parts of a calendar share. */
export interface CalendarView {
  readonly meta: Meta;
  readonly calendar: Calendar;
  readonly state: CalendarState & {
    readonly shift: (event: CalendarEvent, what: 'move' | 'end', shift: Shift) => void;
  };
  readonly day: string;
  readonly today: string;
  readonly weekStart: number;
  readonly canCreate: boolean;
  readonly showDay: (day: string) => void;
  /** The path of the form of a new document at a day or a time. */
  readonly newPath: (at: string) => string;
}

export const CalendarContext = createContext<CalendarView | null>(null);

/** The calendar that a part belongs to. */
export function useCalendarView(): CalendarView {
  const view = use(CalendarContext);
  if (!view) throw new Error('a part of a calendar is shown without one');
  return view;
}
