import { movedColumn } from '../../grid/list-columns.ts';
import type { ColumnActions } from '../../grid/list-header-props.ts';
import { toggledOrder } from '../../grid/list-search.ts';
import { emptyCondition } from './filter-fields.ts';
import type { RecordListState } from './use-record-list.ts';

/** The actions on a column of the table: they change the address or the layout of this device. */
export function useColumnActions({ state, filterable, setFiltering }: RecordListState): ColumnActions {
  const { search, change, columns, shown, order, layout, setLayout } = state;
  const names = columns.map((one) => one.field.fieldname);
  return {
    sort: (name, options) => change({ order: toggledOrder(order, name, options) }),
    order: (field, isDescending) => change({ order: [{ field, isDescending }] }),
    filter: (name) => {
      change({ filters: [...search.filters, emptyCondition(filterable, name)] });
      setFiltering(true);
    },
    pin: (name, isPinned) =>
      setLayout({
        ...layout,
        pinned: isPinned ? [...layout.pinned, name] : layout.pinned.filter((one) => one !== name),
      }),
    move: (name, to) => change({ columns: movedColumn(names, name, to) }),
    resize: (name, width) => {
      const { [name]: _before, ...widths } = layout.widths;
      setLayout({ ...layout, widths: width === null ? widths : { ...widths, [name]: width } });
    },
    hide: (name) => change({ columns: shown.filter((one) => one !== name) }),
  };
}
