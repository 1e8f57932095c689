import { useCommands } from '../../base/commands.ts';
import { t } from '../../base/i18n.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import type { RecordListState } from './use-record-list.ts';

/** The keys of a list, and its commands in the palette. */
export function useListCommands(list: RecordListState): void {
  const { grid, setFiltering, setExporting, refresh, create, canCreate } = list;
  const isTable = list.state.search.as === 'table';
  useShortcut('list', 'j', t('Next row (↓)'), () => grid.current?.move(1), { isOn: isTable });
  useShortcut('list', 'k', t('Previous row (↑)'), () => grid.current?.move(-1), { isOn: isTable });
  useShortcut('list', 'x', t('Select row (Space)'), () => grid.current?.toggle(), { isOn: isTable });
  useShortcut('list', '/', t('Filter'), () => setFiltering(true));
  useShortcut('list', 'r', t('Refresh'), () => void refresh());
  useShortcut('list', 'n', t('New'), create, { isOn: canCreate });
  const group = t('Actions');
  useCommands([
    { id: 'list.export', label: t('Export these records'), group, run: () => setExporting(true) },
    ...(list.canImport
      ? [{ id: 'list.import', label: t('Import records'), group, run: list.startImport }]
      : []),
    { id: 'list.filter', label: t('Filter these records'), group, run: () => setFiltering(true) },
  ]);
}
