import { t } from '../base/i18n.ts';
import { Button, IconButton } from '../widgets/button.tsx';
import { Toolbar } from '../widgets/layout.tsx';
import type { ChildActions } from './child-actions.ts';
import { goTo } from './child-cursor.ts';
import css from './child-grid.module.css';
import { useChildGrid } from './child-grid-context.ts';

interface ToolsProps {
  readonly row: number;
  readonly count: number;
  readonly actions: ChildActions;
  /** Opens another row, or closes the form. */
  readonly onMove: (row: number | null) => void;
}

/** Tools above a row's form: previous and next row, and row actions. */
export function RowTools({ row, count, actions, onMove }: ToolsProps) {
  const { cursor, isReadOnly } = useChildGrid();
  const here = (run: () => void) => () => {
    goTo(cursor, row, cursor.get().column);
    run();
  };
  return (
    <div className={css['rowTools']}>
      <Toolbar label={t('Row')}>
        <IconButton
          label={t('Previous row')}
          icon="up"
          disabled={row === 0}
          onClick={() => onMove(row - 1)}
        />
        <IconButton
          label={t('Next row')}
          icon="down"
          disabled={row >= count - 1}
          onClick={() => onMove(row + 1)}
        />
        {!isReadOnly && (
          <>
            <Button
              icon="copy"
              onClick={here(() => {
                actions.duplicate();
                onMove(row + 1);
              })}
            >
              {t('Duplicate')}
            </Button>
            <Button
              icon="trash"
              onClick={here(() => {
                onMove(null);
                actions.remove();
              })}
            >
              {t('Delete')}
            </Button>
          </>
        )}
      </Toolbar>
    </div>
  );
}
