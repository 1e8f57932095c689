import type { ReactNode } from 'react';
import { t } from '../../base/i18n.ts';
import type { RightName } from '../../data/boot.ts';
import { applies, labelOfRight } from '../../meta/rights.ts';
import { OwnCell, RightCell } from './matrix-cell.tsx';
import css from './permissions.module.css';
import type { ShownRow } from './shown-rows.ts';
import { useGridKeys } from './use-grid-keys.ts';
import type { Matrix } from './use-permissions.ts';

export interface MatrixGridProps {
  readonly label: string;
  readonly matrix: Matrix;
  readonly rows: readonly ShownRow[];
  readonly columns: readonly RightName[];
  /** The head of the first column: what a row is about. */
  readonly subject: string;
  /** The head of a row. */
  readonly headOf: (row: ShownRow) => ReactNode;
  /** The heading above the rows of a group; null for none. */
  readonly groupText: (group: string) => ReactNode;
}

/** The matrix of rights: one tab stop, arrows move, Space changes. */
export function MatrixGrid(props: MatrixGridProps) {
  const { label, rows, columns, subject } = props;
  const keys = useGridKeys();
  return (
    <div className={css['gridWrap']}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table whose cells take the focus */}
      <table role="grid" aria-label={label} className={css['grid']} onKeyDown={keys.onKeyDown}>
        <thead>
          <tr>
            <th scope="col">{subject}</th>
            {columns.map((right) => (
              <th key={right} scope="col">
                {labelOfRight(right)}
              </th>
            ))}
            <th scope="col">{t('Only own')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <MatrixRow key={row.key} {...props} keys={keys} row={row} index={index} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface MatrixRowProps extends MatrixGridProps {
  readonly row: ShownRow;
  readonly index: number;
  readonly keys: ReturnType<typeof useGridKeys>;
}

function MatrixRow({ matrix, rows, columns, headOf, groupText, row, index, keys }: MatrixRowProps) {
  const doctype = matrix.doctypes.find(({ name }) => name === row.doctype);
  const heading = rows[index - 1]?.group === row.group ? null : groupText(row.group);
  const cellAt = (column: number) => ({
    matrix,
    row,
    isOpen: doctype?.isCustomizable === true,
    box: {
      'data-row': index,
      'data-column': column,
      tabIndex: keys.current.row === index && keys.current.column === column ? 0 : -1,
      onFocus: () => keys.setCurrent({ row: index, column }),
    },
  });
  return (
    <>
      {heading !== null && (
        <tr className={css['group']}>
          <th scope="colgroup" colSpan={columns.length + 2}>
            {heading}
          </th>
        </tr>
      )}
      <tr>
        <th scope="row">{headOf(row)}</th>
        {columns.map((right, column) => (
          <td key={right}>
            {applies(row.permlevel, right, doctype?.isSubmittable ?? false) && (
              <RightCell {...cellAt(column)} right={right} />
            )}
          </td>
        ))}
        <td>{row.permlevel === 0 && <OwnCell {...cellAt(columns.length)} />}</td>
      </tr>
    </>
  );
}
