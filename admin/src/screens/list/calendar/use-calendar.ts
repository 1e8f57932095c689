import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { announce } from '../../../base/announce.ts';
import { currentCustoms } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { betweenZones } from '../../../base/time-zone.ts';
import { toast } from '../../../base/toasts.ts';
import { useUser } from '../../../data/boot.ts';
import { type Filter, type ListQuery, listRows, updateDocument } from '../../../data/documents.ts';
import { keys } from '../../../data/keys.ts';
import { queryClient } from '../../../data/query-client.ts';
import { withCondition } from '../../../grid/list-filters.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { messagesOf } from '../../../widgets/error-panel.tsx';
import { askedOfCards, titleOfRow } from '../cards/card-fields.ts';
import type { ListViewProps } from '../list-view-props.ts';
import { addDays, daysShown } from './calendar-dates.ts';
import { type CalendarEvent, eventOf } from './calendar-events.ts';
import { type Calendar, canPlace } from './calendar-settings.ts';
import { eventTimes } from './calendar-words.ts';

/** Documents of one page of a calendar. */
const MOST = 1_000;

export interface CalendarOptions extends Pick<ListViewProps, 'fields' | 'conditions'> {
  readonly meta: Meta;
  readonly calendar: Calendar;
  readonly day: string;
  readonly weekStart: number;
}

export type CalendarState = ReturnType<typeof useCalendar>;

/** The documents of the shown days, and the change that a moved one makes. */
export function useCalendar({ meta, calendar, fields, conditions, day, weekStart }: CalendarOptions) {
  const { start, end, mode, color } = calendar;
  const user = useUser();
  const [first, last] = daysShown(mode, day, weekStart);
  const isAllDay = start.fieldtype === 'Date';
  const asked = askedOfCards(meta, fields, color ? [color] : [], [
    start.fieldname,
    ...(end ? [end.fieldname] : []),
  ]);
  const query: ListQuery = {
    ...withCondition(conditions, withinDays(start, end, first, last)),
    fields: asked,
    order_by: `${start.fieldname} asc`,
    limit_page_length: MOST + 1,
  };
  const rows = useQuery({
    queryKey: keys.list(meta.name, query),
    queryFn: ({ signal }) => listRows(meta.name, query, { signal }),
    placeholderData: keepPreviousData,
  });
  // Changes that the loaded rows do not show yet.
  const [changed, setChanged] = useState<ReadonlyMap<string, CalendarEvent>>(new Map());
  const { data } = rows;
  const events = useMemo(
    () =>
      (data ?? []).slice(0, MOST).flatMap((row) => {
        const made = eventOf(row, {
          start: start.fieldname,
          end: end?.fieldname ?? null,
          isAllDay,
          title: titleOfRow(meta, row),
          toUser,
        });
        return made ? [changed.get(made.name) ?? made] : [];
      }),
    [data, changed, start, end, isAllDay, meta],
  );
  const change = async (before: CalendarEvent, after: CalendarEvent) => {
    if (before.start === after.start && before.end === after.end) return;
    setChanged((held) => new Map(held).set(before.name, after));
    announce(t('{title} moved to {column}', { title: after.title, column: eventTimes(after) }));
    try {
      await updateDocument(meta.name, before.name, valuesOf(before, after, calendar));
    } catch (error) {
      toast('error', t('{title} was not moved', { title: after.title }), {
        detail: messagesOf(error).join(' '),
      });
    } finally {
      await queryClient.invalidateQueries({ queryKey: keys.lists(meta.name) }).catch(() => undefined);
      setChanged((held) => new Map([...held].filter(([, event]) => event !== after)));
    }
  };
  const placed = (field: Field | null, { row }: CalendarEvent) =>
    canPlace(meta, field, user, Number(row['docstatus'] ?? 0));
  return {
    ...{ events, first, last, isAllDay, change },
    isCut: (data?.length ?? 0) > MOST,
    isLoading: data === undefined,
    error: data === undefined ? rows.error : null,
    retry: () => void rows.refetch(),
    canMove: (event: CalendarEvent) => placed(start, event) && (end === null || placed(end, event)),
    canResize: (event: CalendarEvent) => placed(end, event),
    /** Values of a new document at a day, or at a time of the user. */
    valuesAt: (at: string) => ({
      [start.fieldname]: isAllDay ? at.slice(0, 10) : toSite(at.length === 10 ? `${at} 09:00:00` : at),
    }),
  };
}

// An event without an end keeps none when it moves.
function valuesOf(
  before: CalendarEvent,
  after: CalendarEvent,
  { start, end }: Calendar,
): Readonly<Record<string, unknown>> {
  const stored = (time: string) => (after.isAllDay ? time : toSite(time));
  const hasEnd = end !== null && (Boolean(before.row[end.fieldname]) || before.start === after.start);
  return {
    ...(before.start === after.start ? {} : { [start.fieldname]: stored(after.start) }),
    ...(hasEnd && before.end !== after.end ? { [end.fieldname]: stored(after.end) } : {}),
  };
}

/** The condition for documents that touch the days. */
function withinDays(start: Field, end: Field | null, first: string, last: string): Filter {
  const isAllDay = start.fieldtype === 'Date';
  const from = isAllDay ? first : toSite(`${first} 00:00:00`);
  const to = isAllDay ? last : toSite(`${addDays(last, 1)} 00:00:00`);
  const before: Filter = [start.fieldname, isAllDay ? '<=' : '<', to];
  const began: Filter = [start.fieldname, '>=', from];
  // A nested list, as the API takes it.
  const all = end ? [before, 'and', [[end.fieldname, '>=', from], 'or', began]] : [before, 'and', began];
  return all as unknown as Filter;
}

function toUser(time: string): string {
  const { siteZone, userZone } = currentCustoms();
  return betweenZones(time, siteZone, userZone);
}

function toSite(time: string): string {
  const { siteZone, userZone } = currentCustoms();
  return betweenZones(time, userZone, siteZone);
}
