import { useState } from 'react';
import { queryTexts } from '../../base/api-call.ts';
import { copyCall } from '../../base/copy-call.ts';
import { t } from '../../base/i18n.ts';
import { type Go, useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { usePart } from '../../base/use-part.ts';
import { type ListQuery, resourcePath } from '../../data/documents.ts';
import { useNarrow } from '../../grid/use-narrow.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { Popover } from '../../widgets/popover.tsx';
import { SearchBox } from '../../widgets/search-box.tsx';
import { columnsOfFields } from './chooser-columns.ts';
import css from './list-screen.module.css';
import type { RecordListState } from './use-record-list.ts';
import { ViewSwitcher } from './view-switcher.tsx';
import { ViewsMenu } from './views-menu.tsx';

const loadFilters = async () => (await import('./filter-builder.tsx')).FilterBuilder;
const loadColumns = async () => (await import('./column-chooser.tsx')).ColumnChooser;

interface Props {
  readonly list: RecordListState;
}

/** Controls of a list: filters, search, columns and views. */
export function ListToolbar({ list }: Props) {
  const { meta, state, grid, refresh } = list;
  const { search, change } = state;
  const go = useGo();
  const isNarrow = useNarrow();
  return (
    <div className={css['toolbar']}>
      <FilterButton list={list} />
      <div className={css['search']}>
        <SearchBox
          label={t('Search these records')}
          placeholder={t('Search')}
          value={search.text}
          onChange={(text) => change({ text })}
          onDown={() => grid.current?.goTo(0)}
          maxLength={140}
        />
      </div>
      {search.as === 'table' && <ColumnsButton list={list} />}
      {search.as === 'table' && isNarrow && <SortMenu list={list} />}
      <ViewSwitcher choices={list.views.choices} value={search.as} onChange={list.views.setType} />
      <ViewsMenu doctype={meta.name} search={search} onChoose={list.chooseView} />
      {!isNarrow && <IconButton icon="refresh" label={t('Refresh')} onClick={() => void refresh()} />}
      <span className={css['more']}>
        <Menu
          label={t('More')}
          target={<IconButton icon="more" label={t('More')} hasTooltip={false} />}
          items={[
            isNarrow && { label: t('Refresh'), icon: 'refresh', run: () => void refresh() },
            list.canImport && { label: t('Import…'), icon: 'upload', run: list.startImport },
            { label: t('Export…'), icon: 'download', run: () => list.setExporting(true) },
            {
              label: t('Copy as API call'),
              icon: 'copy',
              run: () => void copyList(meta.name, state.query, go),
            },
          ]}
        />
      </span>
    </div>
  );
}

function FilterButton({ list }: Props) {
  const { doctype, state, filterable, isFiltering, setFiltering } = list;
  const { filters, or } = state.search;
  const FilterBuilder = usePart(isFiltering, loadFilters);
  const isNarrow = useNarrow();
  const count = filters.length + or.length;
  return (
    <Popover
      label={t('Filters')}
      isSticky
      isOpen={isFiltering && FilterBuilder !== null}
      onClose={() => setFiltering(false)}
      target={
        <Button icon={isNarrow ? undefined : 'filter'} onClick={() => setFiltering(!isFiltering)}>
          {count > 0 ? t('Filters ({count})', { count }) : t('Filter')}
        </Button>
      }
    >
      {FilterBuilder && (
        <FilterBuilder
          {...{ doctype, filters, or }}
          fields={filterable}
          onApply={(conditions) => state.change(conditions, { isReplacing: false })}
          onClose={() => setFiltering(false)}
        />
      )}
    </Popover>
  );
}

function ColumnsButton({ list: { state } }: Props) {
  const [isChoosing, setChoosing] = useState(false);
  const ColumnChooser = usePart(isChoosing, loadColumns);
  const isNarrow = useNarrow();
  return (
    <Popover
      label={t('Columns')}
      isOpen={isChoosing && ColumnChooser !== null}
      onClose={() => setChoosing(false)}
      target={
        <Button icon={isNarrow ? undefined : 'columns'} onClick={() => setChoosing(!isChoosing)}>
          {t('Columns')}
        </Button>
      }
    >
      {ColumnChooser && (
        <ColumnChooser
          columns={columnsOfFields(state.fields)}
          shown={state.shown}
          onChange={(columns) => state.change({ columns })}
        />
      )}
    </Popover>
  );
}

function SortMenu({ list: { state } }: Props) {
  const { fields, shown, order, change } = state;
  return (
    <Menu
      label={t('Sort')}
      target={<Button>{t('Sort')}</Button>}
      items={shown.flatMap((name) => {
        const field = fields.find((one) => one.fieldname === name);
        if (!field) return [];
        const term = order.find((one) => one.field === name);
        const sign = term ? (term.isDescending ? ' ↓' : ' ↑') : '';
        return [
          {
            label: `${labelOf(field)}${sign}`,
            isChecked: term !== undefined,
            run: () => change({ order: [{ field: name, isDescending: term ? !term.isDescending : false }] }),
          },
        ];
      })}
    />
  );
}

function copyList(doctype: string, listed: ListQuery, go: Go): Promise<void> {
  const query = queryTexts({ ...listed, limit_page_length: 100 });
  const call = { verb: 'GET', path: resourcePath(doctype), query, body: '' };
  return copyCall(call, () => go(paths.apiDoctype(doctype, { call: 'list', values: query })));
}
