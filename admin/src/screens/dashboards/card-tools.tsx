import { t } from '../../base/i18n.ts';
import { IconButton } from '../../widgets/button.tsx';
import css from './dashboards.module.css';
import { MoveHandle } from './move-handle.tsx';

/** Moves, changes and removes a card: by pointer, or with the arrow keys on its handle. */
export function CardTools({
  id,
  at,
  title,
  onMove,
  onEdit,
  onRemove,
}: {
  readonly id: string;
  readonly at: number;
  readonly title: string;
  readonly onMove: (id: string, to: number) => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}) {
  return (
    <span className={css['tools']}>
      <MoveHandle at={at} title={title} onMove={(to) => onMove(id, to)} />
      <IconButton isSmall icon="edit" label={t('Edit {title}', { title })} onClick={onEdit} />
      <IconButton isSmall icon="trash" label={t('Remove {title}', { title })} onClick={onRemove} />
    </span>
  );
}
