import { useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { PathLink } from '../../../base/navigation.tsx';
import { paths } from '../../../base/paths.ts';
import type { ListQuery } from '../../../data/documents.ts';
import { useListTitles } from '../../../grid/use-list-titles.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Icon } from '../../../widgets/icon.tsx';
import type { MenuItem } from '../../../widgets/menu.tsx';
import { columnsOfCards, furtherLines } from '../cards/card-fields.ts';
import { usePagedRows } from '../use-paged-rows.ts';
import css from './board.module.css';
import { BoardCard } from './board-card.tsx';
import { type LaneRows, type Move, movedRows } from './board-moves.ts';
import type { Lane } from './board-settings.ts';
import { laneLabel, type Placed } from './use-board.ts';

/** Pixels of a card with one line of values, and between cards. */
const CARD = 120;
const GAP = 8;
const OVERSCAN = 3;

export interface BoardLaneProps {
  readonly meta: Meta;
  readonly field: Field;
  readonly cards: readonly Field[];
  readonly lane: Lane;
  readonly lanes: readonly Lane[];
  readonly at: number;
  readonly query: ListQuery;
  readonly moves: readonly Move[];
  /** The place of the card in this column that Tab reaches. */
  readonly active: number;
  readonly heldName: string | null;
  readonly isTarget: boolean;
  readonly canCreate: boolean;
  readonly canMoveRow: (row: Placed['row']) => boolean;
  readonly onMove: (card: Placed, to: string | null) => void;
  /** Gives the board the cards of this column. */
  readonly onRows: (at: number, rows: LaneRows | null) => void;
}

/** A column of a board. Only cards in view are mounted. */
export function BoardLane(props: BoardLaneProps) {
  const { meta, field, cards, lane, at, query, moves, active, heldName, isTarget, canCreate, onRows } = props;
  const height = CARD + furtherLines(cards);
  const step = height + GAP;
  const { holder, first, last } = useVisible(step);
  const loaded = usePagedRows(meta.name, query, first, last);
  const rows = movedRows(moves, lane.value, lane.count, loaded.rowAt);
  const places = Array.from(
    { length: Math.max(0, Math.min(rows.length, last) - first) },
    (_, index) => first + index,
  );
  const columns = useMemo(() => columnsOfCards(cards), [cards]);
  const { titleOf, keyOf } = useListTitles(columns, places.map(rows.at));
  useEffect(() => {
    onRows(at, rows);
    return () => onRows(at, null);
  });
  const label = laneLabel(field, lane.value);
  const { menuOf, onMenu, onMenuClose } = useMoveMenu(props, rows);
  return (
    <section className={css['lane']} data-lane={at} data-target={isTarget || undefined} aria-label={label}>
      <header className={css['head']}>
        <span className={css['dot']} data-hue={lane.hue} aria-hidden="true" />
        <h2 dir="auto" title={label}>
          {label}
        </h2>
        <span className={css['count']}>{formatNumber(rows.length)}</span>
        {canCreate && (
          <PathLink
            className={css['new']}
            to={paths.newRecord(meta.name, lane.value === null ? {} : { [field.fieldname]: lane.value })}
            aria-label={t('New in {column}', { column: label })}
            title={t('New in {column}', { column: label })}
          >
            <Icon name="plus" />
          </PathLink>
        )}
      </header>
      {loaded.error ? <ErrorPanel error={loaded.error} onRetry={loaded.retry} /> : null}
      <div ref={holder} className={css['scroll']} data-scroll>
        {rows.length === 0 ? (
          <p className={css['none']}>{t('Nothing here')}</p>
        ) : (
          <ul className={css['cards']} style={{ blockSize: rows.length * step }}>
            {places.map((place) => {
              const row = rows.at(place);
              const name = String(row?.['name'] ?? `#${place}`);
              return (
                <BoardCard
                  key={name}
                  {...{ meta, row, place, titleOf, onMenu, onMenuClose }}
                  fields={cards}
                  length={rows.length}
                  top={place * step}
                  height={height}
                  menu={menuOf(name, place)}
                  isMovable={row !== undefined && props.canMoveRow(row)}
                  isTabStop={place === Math.min(active, rows.length - 1)}
                  isHeld={name === heldName}
                  titles={keyOf(row)}
                />
              );
            })}
          </ul>
        )}
      </div>
    </section>
  );
}

/** The menu of one card: the columns that it can move to. */
function useMoveMenu({ field, lane, lanes, onMove }: BoardLaneProps, rows: LaneRows) {
  const [open, setOpen] = useState<string | null>(null);
  const latest = useRef(rows);
  latest.current = rows;
  const [{ onMenu, onMenuClose }] = useState(() => ({
    onMenu: (place: number) => setOpen(String(latest.current.at(place)?.['name'])),
    onMenuClose: () => setOpen(null),
  }));
  const menuOf = (name: string, place: number): readonly MenuItem[] | null => {
    const row = rows.at(place);
    if (name !== open || !row) return null;
    const card: Placed = { row, lane: lane.value, index: rows.indexOf(place) };
    return [
      { heading: t('Move to') },
      ...lanes.map(({ value }) => ({
        label: laneLabel(field, value),
        isChecked: value === lane.value,
        run: () => onMove(card, value),
      })),
    ];
  };
  return { menuOf, onMenu, onMenuClose };
}

/** The cards in view of a scrolling column. Renders only when a card enters or leaves. */
function useVisible(step: number) {
  const holder = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ first: 0, last: 12 });
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const measure = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / step) - OVERSCAN);
      const last = Math.ceil((element.scrollTop + element.clientHeight) / step) + OVERSCAN;
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [step]);
  return { holder, ...range };
}
