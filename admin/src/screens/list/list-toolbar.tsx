import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { usePart } from '../../base/use-part.ts';
import { type ListQuery, resourcePath } from '../../data/documents.ts';
import { curlOf } from '../../grid/list-curl.ts';
import type { ListSearch, OrderTerm } from '../../grid/list-search.ts';
import { useNarrow } from '../../grid/use-narrow.ts';
import type { Field, Meta } from '../../meta/meta.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { Popover } from '../../widgets/popover.tsx';
import { SearchBox } from '../../widgets/search-box.tsx';
import type { FilterField } from './filter-fields.ts';
import css from './list-screen.module.css';
import type { SavedView } from './saved-views.ts';
import { ViewsMenu } from './views-menu.tsx';

export interface ListToolbarProps {
  readonly meta: Meta;
  readonly search: ListSearch;
  readonly onChange: (changes: Partial<ListSearch>, options?: { readonly isReplacing?: boolean }) => void;
  readonly fields: readonly Field[];
  readonly filterFields: readonly FilterField[];
  readonly shown: readonly string[];
  readonly order: readonly OrderTerm[];
  readonly query: ListQuery;
  readonly isFiltering: boolean;
  readonly onFiltering: (isOpen: boolean) => void;
  readonly onView: (view: SavedView | null) => void;
  readonly onRefresh: () => void;
  readonly onExport: () => void;
}

const loadFilters = async () => (await import('./filter-builder.tsx')).FilterBuilder;
const loadColumns = async () => (await import('./column-chooser.tsx')).ColumnChooser;

/** Controls of a list: filters, search, columns and views. */
export function ListToolbar(props: ListToolbarProps) {
  const { meta, search, onChange, fields, filterFields, shown, order, query, isFiltering, onFiltering } =
    props;
  const [isChoosing, setChoosing] = useState(false);
  const FilterBuilder = usePart(isFiltering, loadFilters);
  const ColumnChooser = usePart(isChoosing, loadColumns);
  const isNarrow = useNarrow();
  const count = search.filters.length + search.or.length;
  const copy = async () => {
    const line = curlOf(location.origin, resourcePath(meta.name), { ...query, limit_page_length: 100 });
    try {
      await navigator.clipboard.writeText(line);
      toast('success', t('API call copied'));
    } catch {
      toast('error', t('The browser blocked copying. Select the text instead'), { detail: line });
    }
  };
  return (
    <div className={css['toolbar']}>
      <Popover
        label={t('Filters')}
        isSticky
        isOpen={isFiltering && FilterBuilder !== null}
        onClose={() => onFiltering(false)}
        target={
          <Button icon={isNarrow ? undefined : 'filter'} onClick={() => onFiltering(!isFiltering)}>
            {count > 0 ? t('Filters ({count})', { count }) : t('Filter')}
          </Button>
        }
      >
        {FilterBuilder && (
          <FilterBuilder
            doctype={meta.name}
            fields={filterFields}
            filters={search.filters}
            or={search.or}
            onApply={({ filters, or }) => onChange({ filters, or }, { isReplacing: false })}
            onClose={() => onFiltering(false)}
          />
        )}
      </Popover>
      <div className={css['search']}>
        <SearchBox
          label={t('Search these records')}
          placeholder={t('Search')}
          value={search.text}
          onChange={(text) => onChange({ text })}
          maxLength={140}
        />
      </div>
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
          <ColumnChooser fields={fields} shown={shown} onChange={(columns) => onChange({ columns })} />
        )}
      </Popover>
      {isNarrow && (
        <Menu
          label={t('Sort')}
          target={<Button>{t('Sort')}</Button>}
          items={shown.flatMap((name) => {
            const field = fields.find((one) => one.fieldname === name);
            const term = order.find((one) => one.field === name);
            return field
              ? [
                  {
                    label: `${labelOf(field)}${term ? (term.isDescending ? ' ↓' : ' ↑') : ''}`,
                    isChecked: term !== undefined,
                    run: () =>
                      onChange({ order: [{ field: name, isDescending: term ? !term.isDescending : false }] }),
                  },
                ]
              : [];
          })}
        />
      )}
      <ViewsMenu doctype={meta.name} search={search} onChoose={props.onView} />
      {!isNarrow && <IconButton icon="refresh" label={t('Refresh')} onClick={props.onRefresh} />}
      <span className={css['more']}>
        <Menu
          label={t('More')}
          target={<IconButton icon="more" label={t('More')} hasTooltip={false} />}
          items={[
            isNarrow && { label: t('Refresh'), icon: 'refresh', run: props.onRefresh },
            { label: t('Export…'), icon: 'download', run: props.onExport },
            { label: t('Copy as API call'), icon: 'copy', run: () => void copy() },
          ]}
        />
      </span>
    </div>
  );
}
