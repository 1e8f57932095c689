import { t } from '../../../base/i18n.ts';
import { PathLink } from '../../../base/navigation.tsx';
import { Icon } from '../../../widgets/icon.tsx';
import css from './calendar.module.css';
import { useCalendarView } from './calendar-context.ts';
import { dayWords } from './calendar-words.ts';

/** The number of a day, which opens it, and a link to a new document of that day. */
export function DayHead({ day, weekday = false }: { readonly day: string; readonly weekday?: boolean }) {
  const { today, canCreate, showDay, newPath } = useCalendarView();
  const full = dayWords(day, { dateStyle: 'full' });
  return (
    <span className={css['dayHead']}>
      <button
        type="button"
        className={css['dayNumber']}
        data-today={day === today || undefined}
        aria-current={day === today ? 'date' : undefined}
        onClick={() => showDay(day)}
      >
        {weekday && <span className={css['weekday']}>{dayWords(day, { weekday: 'short' })}</span>}
        <span className={css['number']}>{dayWords(day, { day: 'numeric' })}</span>
        <span className="visually-hidden">, {dayWords(day, { month: 'long', year: 'numeric' })}</span>
      </button>
      {canCreate && (
        <PathLink className={css['add']} to={newPath(day)} aria-label={t('New on {date}', { date: full })}>
          <Icon name="plus" size={14} />
        </PathLink>
      )}
    </span>
  );
}
