import { formatNumber } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { useShortcut } from '../../../base/shortcuts.ts';
import { useNarrow } from '../../../grid/use-narrow.ts';
import type { Field } from '../../../meta/meta.ts';
import { Button, IconButton } from '../../../widgets/button.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { SegmentedControl } from '../../../widgets/segmented-control.tsx';
import { FieldPick, ViewBar } from '../cards/view-bar.tsx';
import type { ListViewProps } from '../list-view-props.ts';
import css from './calendar.module.css';
import { MODES, type Mode, pageFrom } from './calendar-dates.ts';
import { type Calendar, dateFields, endFields } from './calendar-settings.ts';
import { pageWords } from './calendar-words.ts';
import type { CalendarState } from './use-calendar.ts';

export interface CalendarHeadProps {
  readonly fields: readonly Field[];
  readonly calendar: Calendar;
  readonly state: CalendarState;
  readonly total: ListViewProps['total'];
  readonly day: string;
  readonly today: string;
  readonly onDay: (day: string) => void;
  readonly onMode: (mode: Mode) => void;
  readonly onFields: (changes: { readonly start?: string; readonly end?: string | null }) => void;
}

/** The shown days, the way to others, and the fields of the calendar. */
export function CalendarHead(props: CalendarHeadProps) {
  const { calendar, state, day, today, total, onDay, onMode } = props;
  const isNarrow = useNarrow();
  useShortcut('list', 't', t('Today'), () => onDay(today));
  return (
    <>
      <div className={css['head']}>
        <Button onClick={() => onDay(today)}>{t('Today')}</Button>
        <span className={css['pages']}>
          <IconButton
            icon="start"
            label={t('Back')}
            onClick={() => onDay(pageFrom(calendar.mode, day, -1))}
          />
          <IconButton
            icon="end"
            label={t('Forward')}
            onClick={() => onDay(pageFrom(calendar.mode, day, 1))}
          />
        </span>
        <h2 aria-live="polite">{pageWords(calendar.mode, day, state.first, state.last)}</h2>
        <span className={css['shown']}>
          <Shown state={state} total={total} />
        </span>
        <SegmentedControl
          label={t('Days')}
          value={calendar.mode}
          onChange={onMode}
          choices={MODES.map((mode) => ({ value: mode, label: modeWord(mode) }))}
        />
        {!isNarrow && <Fields {...props} />}
      </div>
      {isNarrow && <Fields {...props} />}
    </>
  );
}

// The other records have another date, or none.
function Shown({ state, total }: Pick<CalendarHeadProps, 'state' | 'total'>) {
  if (!total || state.isLoading) return null;
  const { count, isCapped } = total;
  return (
    <Muted isSmall>
      {t('{shown} of {count}', {
        shown: formatNumber(state.events.length),
        count: `${formatNumber(count)}${isCapped ? '+' : ''}`,
      })}
    </Muted>
  );
}

function Fields({ fields, calendar: { start, end }, onFields }: CalendarHeadProps) {
  const ends = endFields(fields, start);
  return (
    <ViewBar>
      <FieldPick
        label={t('Date')}
        fields={dateFields(fields)}
        value={start.fieldname}
        onChange={(name) => name && onFields({ start: name, end: null })}
      />
      {ends.length > 0 && (
        <FieldPick
          label={t('To')}
          fields={ends}
          value={end?.fieldname ?? null}
          onChange={(name) => onFields({ start: start.fieldname, end: name })}
          isClearable
        />
      )}
    </ViewBar>
  );
}

function modeWord(mode: Mode): string {
  switch (mode) {
    case 'month':
      return t('Month');
    case 'week':
      return t('Week');
    case 'day':
      return t('Day');
    case 'agenda':
      return t('Agenda');
  }
}
