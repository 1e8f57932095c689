import type { ReactNode } from 'react';
import css from './layout.module.css';

export interface TableColumn<Row> {
  readonly id: string;
  readonly label: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** True if the cell names the row. */
  readonly isHeader?: boolean;
}

export interface TableProps<Row> {
  /** Accessible name. */
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** On phones each row is a block with the labels of its columns, and nothing scrolls sideways. */
  readonly isStacked?: boolean;
}

/** A short table without virtualization. Use a grid for long lists. */
export function Table<Row>({ label, columns, rows, rowKey, isStacked }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by keyboard
    <section className={css['tableWrap']} aria-label={label} tabIndex={0}>
      <table className={isStacked ? `${css['table']} ${css['stacked']}` : css['table']}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={column.isNumber ? css['number'] : undefined}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => {
                const className = column.isNumber ? css['number'] : undefined;
                return column.isHeader ? (
                  <th key={column.id} scope="row" className={className}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td
                    key={column.id}
                    className={className}
                    data-label={typeof column.label === 'string' ? column.label : undefined}
                  >
                    {column.cell(row)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
