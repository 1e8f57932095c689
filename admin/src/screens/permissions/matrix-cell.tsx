import { t } from '../../base/i18n.ts';
import type { RightName } from '../../data/boot.ts';
import { labelOfRight } from '../../meta/rights.ts';
import { keyOf, rightsAt } from './permission-rows.ts';
import css from './permissions.module.css';
import { subjectOf } from './right-words.ts';
import type { ShownRow } from './shown-rows.ts';
import type { Matrix } from './use-permissions.ts';

export interface CellProps {
  readonly matrix: Matrix;
  readonly row: ShownRow;
  /** The doctype may have rows of this site. */
  readonly isOpen: boolean;
  /** The place in the grid, for the keyboard. */
  readonly box: {
    readonly 'data-row': number;
    readonly 'data-column': number;
    readonly tabIndex: number;
    readonly onFocus: () => void;
  };
}

/** One right of a row. A mark shows a difference to the definition, a ring an unsaved change. */
export function RightCell({ matrix, row, right, isOpen, box }: CellProps & { readonly right: RightName }) {
  const isOn = matrix.rightsOf(row).has(right);
  const wasOn = rightsAt(matrix.stored, row).has(right);
  const differs = isOn === rightsAt(matrix.shipped, row).has(right) ? null : isOn ? 'more' : 'less';
  const words = [
    `${t(row.doctype)}, ${subjectOf(row)}: ${labelOfRight(right)}`,
    ...(differs === 'more' ? [t('added on this site')] : []),
    ...(differs === 'less' ? [t('removed on this site')] : []),
    ...(isOn === wasOn ? [] : [t('not saved')]),
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: an input has no room for the marks
    <button
      type="button"
      role="checkbox"
      aria-checked={isOn}
      aria-disabled={!isOpen || undefined}
      aria-label={words.join(' · ')}
      title={isOpen ? words.slice(1).join(' · ') || undefined : t('These permissions are fixed')}
      className={css['box']}
      data-differs={differs ?? undefined}
      data-changed={isOn === wasOn ? undefined : ''}
      onClick={() => isOpen && matrix.set(row, right, !isOn)}
      {...box}
    />
  );
}

/** Limits a row to the records that a user created. The rights move to a row of their own. */
export function OwnCell({ matrix, row, isOpen, box }: CellProps) {
  const other = { ...row, ifOwner: !row.ifOwner };
  const rights = matrix.rightsOf(row);
  const isTaken = matrix.rightsOf(other).size > 0;
  const canMove = isOpen && !isTaken && rights.size > 0;
  const move = () => {
    matrix.setRow({ ...other, rights });
    matrix.setRow({ ...row, rights: new Set() });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: it looks like the boxes beside it
    <button
      type="button"
      role="checkbox"
      aria-checked={row.ifOwner}
      aria-disabled={!canMove || undefined}
      aria-label={`${t(row.doctype)}, ${t(row.role)}: ${t('only own records')}`}
      title={isTaken ? t('The role has a row of each kind') : t('Only records that the user created')}
      className={css['box']}
      data-changed={matrix.draft.has(keyOf(row)) && row.ifOwner ? '' : undefined}
      onClick={() => canMove && move()}
      {...box}
    />
  );
}
