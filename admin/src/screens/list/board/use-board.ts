import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { announce } from '../../../base/announce.ts';
import { t } from '../../../base/i18n.ts';
import { useStore } from '../../../base/store.ts';
import { toast } from '../../../base/toasts.ts';
import { useUser } from '../../../data/boot.ts';
import { type ListQuery, listRows, updateDocument } from '../../../data/documents.ts';
import { keys } from '../../../data/keys.ts';
import { queryClient } from '../../../data/query-client.ts';
import type { Row } from '../../../grid/list-requests.ts';
import { formatValue } from '../../../meta/field-values.ts';
import { titleOf } from '../../../meta/link-titles.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { may } from '../../../meta/permissions.ts';
import { messagesOf } from '../../../widgets/error-panel.tsx';
import { titleOfRow } from '../cards/card-fields.ts';
import { createMoves, type Move, type Moves } from './board-moves.ts';
import { canMove, lanesOf, MOST_LANES } from './board-settings.ts';

/** A card and where it is. */
export interface Placed {
  readonly row: Row;
  readonly lane: string | null;
  /** Its place among the loaded rows of the column. */
  readonly index: number;
}

export interface BoardOptions {
  readonly meta: Meta;
  readonly field: Field;
  /** The conditions of the list. */
  readonly conditions: Pick<ListQuery, 'filters' | 'or_filters'>;
}

/** The columns of a board, and the change that a moved card makes. */
export function useBoard({ meta, field, conditions }: BoardOptions) {
  const doctype = meta.name;
  const user = useUser();
  const query = countsQuery(field, conditions);
  const counts = useQuery({
    queryKey: keys.list(doctype, query),
    queryFn: ({ signal }) => listRows(doctype, query, { signal }),
    placeholderData: keepPreviousData,
  });
  const [moves] = useState<Moves>(createMoves);
  const lanes = useMemo(() => counts.data && lanesOf(field, counts.data.map(groupOf)), [counts.data, field]);
  return {
    lanes,
    moves: useStore(moves),
    error: counts.error,
    retry: () => void counts.refetch(),
    /** Why nothing moves; null if cards can move. */
    isFixed: !may(doctype, 'write') || !canMove(meta, field, user, 0),
    canMoveRow: (row: Row) =>
      may(doctype, 'write') && canMove(meta, field, user, Number(row['docstatus'] ?? 0)),
    move: (card: Placed, to: string | null) => moveCard(meta, field, moves, card, to),
  };
}

/** Names a column: the value, or the title of the linked document. */
export function laneLabel(field: Field, value: string | null): string {
  if (value === null) return t('Not set');
  return field.fieldtype === 'Link' ? (titleOf(field.options, value) ?? value) : formatValue(field, value);
}

function countsQuery(field: Field, conditions: BoardOptions['conditions']): ListQuery {
  return {
    ...conditions,
    fields: [`${field.fieldname} as lane`, 'count(*) as cards'],
    group_by: field.fieldname,
    order_by: 'cards desc',
    limit_page_length: MOST_LANES,
  };
}

function groupOf(row: Row) {
  const { lane, cards } = row;
  return { value: lane === null || lane === '' ? null : String(lane), count: Number(cards) };
}

// The card moves at once. It goes back if the server refuses.
async function moveCard(
  meta: Meta,
  field: Field,
  moves: Moves,
  card: Placed,
  to: string | null,
): Promise<boolean> {
  const { row, lane, index } = card;
  if (lane === to) return false;
  const name = String(row['name']);
  const title = titleOfRow(meta, row);
  const move: Move = { name, row: { ...row, [field.fieldname]: to }, from: lane, index, to };
  moves.add(move);
  announce(t('{title} moved to {column}', { title, column: laneLabel(field, to) }));
  try {
    await updateDocument(meta.name, name, { [field.fieldname]: to });
    return true;
  } catch (error) {
    toast('error', t('{title} was not moved', { title }), { detail: messagesOf(error).join(' ') });
    return false;
  } finally {
    await queryClient.invalidateQueries({ queryKey: keys.lists(meta.name) }).catch(() => undefined);
    moves.remove(move);
  }
}
