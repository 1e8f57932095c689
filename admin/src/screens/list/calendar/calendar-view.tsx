import { type PointerEvent, useMemo } from 'react';
import { currentCustoms, formatNumber } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../../base/navigation.tsx';
import { paths } from '../../../base/paths.ts';
import { timestampOf } from '../../../base/time-zone.ts';
import { useNarrow } from '../../../grid/use-narrow.ts';
import { EmptyState } from '../../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Skeleton } from '../../../widgets/feedback.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import type { ListViewProps } from '../list-view-props.ts';
import { useFreshLists } from '../use-fresh-lists.ts';
import { AgendaView } from './agenda-view.tsx';
import css from './calendar.module.css';
import { CalendarContext, type CalendarView } from './calendar-context.ts';
import { isDay, weekStartOf } from './calendar-dates.ts';
import { startEventDrag } from './calendar-drag.ts';
import { type CalendarEvent, moved, resized, type Shift } from './calendar-events.ts';
import { CalendarHead } from './calendar-head.tsx';
import { type Calendar, calendarOf } from './calendar-settings.ts';
import { MonthView } from './month-view.tsx';
import { TimeView } from './time-view.tsx';
import { useCalendar } from './use-calendar.ts';

/** A list as a calendar: its documents by a date, a time, or from one to another. */
export function View(props: ListViewProps) {
  const { bundle, fields, settings } = props;
  const isNarrow = useNarrow();
  const calendar = useMemo(
    () => calendarOf(settings, fields, isNarrow ? 'agenda' : 'month'),
    [settings, fields, isNarrow],
  );
  useFreshLists(bundle.meta.name);
  if (!calendar)
    return (
      <EmptyState icon="calendar" title={t('No field for a calendar')}>
        {t('A calendar needs a Date or Datetime field.')}
      </EmptyState>
    );
  return <CalendarOf {...props} calendar={calendar} />;
}

function CalendarOf(props: ListViewProps & { readonly calendar: Calendar }) {
  const { bundle, calendar, fields, settings, onSettings, total } = props;
  const view = useView(props);
  const { state, day, showDay } = view;
  const setMode = (mode: Calendar['mode'], to = day) => {
    onSettings({ ...settings, mode });
    showDay(to);
  };
  return (
    <CalendarContext value={{ ...view, showDay: (to) => setMode('day', to) }}>
      <div className={css['view']}>
        <CalendarHead
          {...{ fields, calendar, day, state, total }}
          today={view.today}
          onDay={showDay}
          onMode={setMode}
          onFields={(changes) => onSettings({ ...settings, ...changes })}
        />
        {state.isCut && (
          <Muted isSmall>
            {t('The calendar shows the first {count} records of these days', { count: formatNumber(1_000) })}
          </Muted>
        )}
        {state.error ? (
          <ErrorPanel error={state.error} onRetry={state.retry} />
        ) : state.isLoading ? (
          <Skeleton height={320} />
        ) : (
          <Body key={bundle.meta.name} view={view} />
        )}
      </div>
    </CalendarContext>
  );
}

function Body({ view }: { readonly view: CalendarView }) {
  const { calendar, state } = view;
  const press = (event: PointerEvent<HTMLDivElement>) => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    const chip = target?.closest<HTMLElement>('[data-event]');
    if (!chip || event.button !== 0 || !('movable' in chip.dataset)) return;
    const dragged = state.events.find(({ name }) => name === chip.dataset['event']);
    const isEnd = target?.closest('[data-handle]') !== null;
    if (!dragged) return;
    startEventDrag(event.nativeEvent, {
      root: event.currentTarget,
      chip,
      isEnd,
      onDrop: (shift) => state.shift(dragged, isEnd ? 'end' : 'move', shift),
    });
  };
  const nothing = (
    <EmptyState icon="calendar" title={t('Nothing in this month')}>
      {t('Other months, or fewer filters, may show more.')}
    </EmptyState>
  );
  return (
    <div className={css['body']} onPointerDown={press}>
      {calendar.mode === 'month' ? (
        <MonthView />
      ) : calendar.mode === 'agenda' ? (
        <AgendaView whenEmpty={nothing} />
      ) : (
        <TimeView key={calendar.mode} />
      )}
    </div>
  );
}

function useView({
  bundle: { meta },
  fields,
  conditions,
  canCreate,
  calendar,
}: ListViewProps & { readonly calendar: Calendar }): CalendarView {
  const setSearch = useSetSearch();
  const { locale, userZone } = currentCustoms();
  const today = timestampOf(Date.now(), userZone).slice(0, 10);
  const stated = useSearch((search) => search['on']);
  const day = isDay(stated) ? stated : today;
  const weekStart = weekStartOf(locale);
  const loaded = useCalendar({ meta, calendar, fields, conditions, day, weekStart });
  const shift = (event: CalendarEvent, what: 'move' | 'end', by: Shift) => {
    if (what === 'end' && !loaded.canResize(event)) return;
    void loaded.change(event, what === 'end' ? resized(event, by) : moved(event, by));
  };
  return {
    ...{ meta, calendar, day, today, weekStart, canCreate },
    state: { ...loaded, shift },
    showDay: (to) => setSearch({ on: to === today ? undefined : to }),
    newPath: (at) => paths.newRecord(meta.name, loaded.valuesAt(at)),
  };
}
