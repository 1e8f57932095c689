import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { t } from '../base/i18n.ts';
import { type Filter, listRows } from '../data/documents.ts';
import { keys } from '../data/keys.ts';
import { formatValue } from '../meta/field-values.ts';
import { isListable, isLongText } from '../meta/fieldtypes.ts';
import { useTitleOf, wantTitles } from '../meta/link-titles.ts';
import type { Field, Meta } from '../meta/meta.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { loadMeta } from '../meta/use-meta.ts';
import { Modal } from '../widgets/dialogs.tsx';
import { ErrorPanel } from '../widgets/error-panel.tsx';
import { Skeleton } from '../widgets/feedback.tsx';
import { Muted, Stack } from '../widgets/layout.tsx';
import { SearchBox } from '../widgets/search-box.tsx';
import { Table } from '../widgets/table.tsx';
import css from './form.module.css';

interface SearchDialogProps {
  readonly doctype: string;
  /** The text typed into the picker. */
  readonly text: string;
  readonly filters: unknown;
  readonly onDone: (name: string | null) => void;
}

/** Maximum rows. A longer text leaves fewer. */
const MOST = 50;
/** Maximum columns besides the name. */
const COLUMNS = 4;

/** A small list to choose a document from: more rows and columns than a picker shows. */
export function SearchDialog({ doctype, text: typed, filters, onDone }: SearchDialogProps) {
  const [text, setText] = useState(typed.trim());
  const box = useRef<HTMLDivElement>(null);
  const { data, error, refetch } = useQuery(resultsQuery(doctype, text, filters));
  const step = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...(box.current?.querySelectorAll<HTMLElement>('input, tbody button') ?? [])];
    const next = by && buttons[buttons.indexOf(document.activeElement as HTMLElement) + by];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <Modal
      isOpen
      width={800}
      onClose={() => onDone(null)}
      title={t('Choose {doctype}', { doctype: t(doctype) })}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the search box and the rows within */}
      <div ref={box} onKeyDown={step}>
        <Stack gap={3}>
          <SearchBox
            value={text}
            onChange={setText}
            label={t('Search in {doctype}', { doctype: t(doctype) })}
            placeholder={t('Search')}
            isFirst
          />
          {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
          {!data && !error && <Skeleton height={160} />}
          {data && <Results {...data} doctype={doctype} onChoose={onDone} />}
        </Stack>
      </div>
    </Modal>
  );
}

interface ResultsProps {
  readonly doctype: string;
  readonly fields: readonly Field[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly onChoose: (name: string) => void;
}

function Results({ doctype, fields, rows, onChoose }: ResultsProps) {
  const titleOf = useTitleOf();
  if (rows.length === 0) return <Muted>{t('Nothing found')}</Muted>;
  for (const { fieldtype, options, fieldname } of fields)
    if (fieldtype === 'Link')
      wantTitles(
        options,
        rows.map((row) => String(row[fieldname] ?? '')),
      );
  const textOf = (field: Field, value: unknown) =>
    field.fieldtype === 'Link' && typeof value === 'string'
      ? (titleOf(field.options, value) ?? value)
      : formatValue(field, value);
  return (
    <>
      <Table
        label={t(doctype)}
        rows={rows}
        rowKey={(row) => String(row['name'])}
        columns={[
          {
            id: 'name',
            label: t('Name'),
            isHeader: true,
            cell: ({ name }) => (
              <button type="button" className={css['pick']} onClick={() => onChoose(String(name))}>
                <bdi>{String(name)}</bdi>
              </button>
            ),
          },
          ...fields.map((field) => ({
            id: field.fieldname,
            label: labelOf(field),
            cell: (row: Readonly<Record<string, unknown>>) => (
              <span dir="auto">{textOf(field, row[field.fieldname])}</span>
            ),
          })),
        ]}
      />
      {rows.length === MOST && <Muted isSmall>{t('Type more to narrow the list.')}</Muted>}
    </>
  );
}

function resultsQuery(doctype: string, text: string, filters: unknown) {
  return {
    queryKey: [...keys.lists(doctype), 'search', text, filters],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
      const { meta } = await loadMeta(doctype);
      const fields = columnsOf(meta);
      const searched = ['name', meta.title_field, ...meta.search_fields].filter(Boolean);
      const or_filters: Filter[] = [...new Set(searched)].map((field) => [field, 'like', `%${text}%`]);
      const rows = await listRows(
        doctype,
        {
          fields: [...new Set(['name', ...fields.map(({ fieldname }) => fieldname)])],
          ...(filters === null ? {} : { filters: filters as Filter[] }),
          ...(text === '' ? {} : { or_filters }),
          order_by: `${meta.sort_field} ${meta.sort_order}`,
          limit_page_length: MOST,
        },
        { signal },
      );
      return { fields, rows };
    },
  };
}

function columnsOf(meta: Meta): readonly Field[] {
  // The name has its own column.
  const naming = /^field:(.+)$/i.exec(meta.autoname)?.[1]?.trim();
  const shown = ({ fieldname, fieldtype, hidden, in_list_view }: Field) =>
    !hidden &&
    fieldname !== naming &&
    isListable(fieldtype) &&
    !isLongText(fieldtype) &&
    (in_list_view || fieldname === meta.title_field || meta.search_fields.includes(fieldname));
  return meta.fields.filter(shown).slice(0, COLUMNS);
}
