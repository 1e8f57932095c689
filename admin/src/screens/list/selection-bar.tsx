import { formatNumber } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import type { Count } from '../../data/documents.ts';
import { chosenCount, EVERYTHING, isNothing, NOTHING, type Selection } from '../../grid/list-selection.ts';
import type { Meta } from '../../meta/meta.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { Toolbar } from '../../widgets/layout.tsx';
import type { BulkAction } from './bulk-action.ts';
import css from './list-screen.module.css';

export interface SelectionBarProps {
  readonly meta: Meta;
  readonly selection: Selection;
  readonly total: Count | undefined;
  readonly onSelection: (selection: Selection) => void;
  readonly onAct: (action: BulkAction) => void;
  readonly onExport: () => void;
}

/** Bulk actions on selected rows. */
export function SelectionBar({ meta, selection, total, onSelection, onAct, onExport }: SelectionBarProps) {
  if (isNothing(selection)) return null;
  const known = total && !total.isCapped ? total.count : null;
  const count = chosenCount(selection, known);
  const text =
    count === null
      ? t('All {count}+ matching selected', {
          count: formatNumber(Math.max(0, (total?.count ?? 0) - selection.names.size)),
        })
      : tn(count, '{count} selected', '{count} selected');
  const isAll = selection.mode === 'all' && selection.names.size === 0;
  const isMore =
    selection.mode === 'some' &&
    total !== undefined &&
    (total.isCapped || total.count > selection.names.size);
  return (
    <div className={css['selection']}>
      <strong role="status">{text}</strong>
      {isMore && !isAll && (
        <Button kind="quiet" onClick={() => onSelection(EVERYTHING)}>
          {t('Select all {count} matching', {
            count: `${formatNumber(total.count)}${total.isCapped ? '+' : ''}`,
          })}
        </Button>
      )}
      <Toolbar label={t('Selected records')}>
        {may(meta.name, 'write') && (
          <Button icon="edit" onClick={() => onAct('edit')}>
            {t('Edit field')}
          </Button>
        )}
        {meta.is_submittable && may(meta.name, 'submit') && (
          <Button icon="check" onClick={() => onAct('submit')}>
            {t('Submit')}
          </Button>
        )}
        {meta.is_submittable && may(meta.name, 'cancel') && (
          <Button icon="close" onClick={() => onAct('cancel')}>
            {t('Cancel records')}
          </Button>
        )}
        {may(meta.name, 'delete') && (
          <Button icon="trash" onClick={() => onAct('delete')}>
            {t('Delete')}
          </Button>
        )}
        <Button icon="download" onClick={onExport}>
          {t('Export')}
        </Button>
        <Button kind="quiet" onClick={() => onSelection(NOTHING)}>
          {t('Clear selection')}
        </Button>
      </Toolbar>
    </div>
  );
}
