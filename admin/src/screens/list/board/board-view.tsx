import { useEffect, useMemo, useRef } from 'react';
import { t } from '../../../base/i18n.ts';
import { useUser } from '../../../data/boot.ts';
import type { ListQuery } from '../../../data/documents.ts';
import { withCondition } from '../../../grid/list-filters.ts';
import { orderText } from '../../../grid/list-search.ts';
import { useTitleOf, wantTitles } from '../../../meta/link-titles.ts';
import { EmptyState } from '../../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Skeleton } from '../../../widgets/feedback.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { askedOfCards } from '../cards/card-fields.ts';
import { CardFieldsButton } from '../cards/card-fields-button.tsx';
import { FieldPick, ViewBar } from '../cards/view-bar.tsx';
import type { ListViewProps } from '../list-view-props.ts';
import { useFreshLists } from '../use-fresh-lists.ts';
import css from './board.module.css';
import { BoardLane } from './board-lane.tsx';
import type { LaneRows } from './board-moves.ts';
import { type Board, boardOf, type Lane, laneFields, MOST_LANES } from './board-settings.ts';
import { cardPress } from './card-press.ts';
import { useBoard } from './use-board.ts';
import { useBoardKeys } from './use-board-keys.ts';

/** A list as a board: a column for each value of a field, and a card for each document. */
export function View(props: ListViewProps) {
  const { bundle, fields, settings, onSettings } = props;
  const { meta } = bundle;
  const user = useUser();
  const board = useMemo(() => boardOf(settings, meta, fields, user), [settings, meta, fields, user]);
  useFreshLists(meta.name);
  if (!board)
    return (
      <EmptyState icon="board" title={t('No field for a board')}>
        {t('A board needs a Select or Link field.')}
      </EmptyState>
    );
  return (
    <div className={css['view']}>
      <ViewBar>
        <FieldPick
          label={t('Columns by')}
          fields={laneFields(fields)}
          value={board.field.fieldname}
          onChange={(field) => onSettings({ ...settings, field })}
        />
        <CardFieldsButton
          fields={fields}
          shown={board.cards}
          onChange={(cards) => onSettings({ ...settings, cards: cards ?? undefined })}
        />
      </ViewBar>
      <Lanes key={board.field.fieldname} {...props} board={board} />
    </div>
  );
}

function Lanes(props: ListViewProps & { readonly board: Board }) {
  const { bundle, conditions, whenEmpty, board } = props;
  const { meta } = bundle;
  const { field } = board;
  const state = useBoard({ meta, field, conditions });
  const { lanes, error, retry } = state;
  useLaneTitles(board, lanes);
  if (error && !lanes) return <ErrorPanel error={error} onRetry={retry} />;
  if (!lanes) return <Skeleton height={320} />;
  if (lanes.every(({ count }) => count === 0) && state.moves.length === 0) return whenEmpty;
  return (
    <>
      {state.isFixed && (
        <Muted isSmall>{t('You cannot change this field, so cards stay where they are')}</Muted>
      )}
      {lanes.length >= MOST_LANES && (
        <Muted isSmall>
          {t('The board shows the {count} values with the most records', { count: MOST_LANES })}
        </Muted>
      )}
      <Columns {...props} {...{ state, lanes }} />
    </>
  );
}

function Columns({
  bundle: { meta },
  fields,
  search,
  conditions,
  canCreate,
  board: { field, cards },
  state,
  lanes,
}: ListViewProps & {
  readonly board: Board;
  readonly state: ReturnType<typeof useBoard>;
  readonly lanes: readonly Lane[];
}) {
  const { moves, canMoveRow, move } = state;
  const known = useRef(new Map<number, LaneRows>());
  const rowsOf = (lane: number) => known.current.get(lane) ?? null;
  const keys = useBoardKeys({
    meta,
    field,
    lanes,
    rowsOf,
    canMoveRow,
    move: (card, to) => void move(card, to),
  });
  const base = useMemo(
    (): ListQuery => ({
      ...conditions,
      fields: askedOfCards(meta, fields, cards, [field.fieldname]),
      ...(search.order.length > 0 ? { order_by: orderText(search.order) } : {}),
    }),
    [conditions, meta, fields, cards, field, search.order],
  );
  const press = cardPress({ lanes, rowsOf, move: (card, to) => void move(card, to) });
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the cards' links have the focus and these keys */}
      <div ref={keys.board} className={css['board']} onKeyDown={keys.onKeyDown} onPointerDown={press}>
        {lanes.map((lane, at) => (
          <BoardLane
            key={JSON.stringify(lane.value)}
            {...{ meta, field, cards, lane, lanes, at, moves, canMoveRow }}
            // A new record has the value of its column, if the user may set it.
            canCreate={canCreate && !state.isFixed}
            query={withCondition(
              base,
              lane.value === null ? [field.fieldname, 'is', 'not set'] : [field.fieldname, '=', lane.value],
            )}
            active={keys.active[at] ?? 0}
            heldName={keys.held ? String(keys.held.card.row['name']) : null}
            isTarget={keys.held?.target === at}
            onMove={(card, to) => void move(card, to)}
            onRows={(index, rows) => (rows ? known.current.set(index, rows) : known.current.delete(index))}
          />
        ))}
      </div>
    </>
  );
}

function useLaneTitles({ field }: Board, lanes: readonly Lane[] | undefined): void {
  useTitleOf();
  useEffect(() => {
    if (field.fieldtype === 'Link')
      wantTitles(
        field.options,
        (lanes ?? []).map(({ value }) => value ?? ''),
      );
  }, [field, lanes]);
}
