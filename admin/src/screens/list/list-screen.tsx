import { useEffect } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo, useRouteParams } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { countWords } from '../../data/count-words.ts';
import { listTrail } from '../../meta/doctype-trail.ts';
import { useMeta } from '../../meta/use-meta.ts';
import { Button } from '../../widgets/button.tsx';
import { Alert } from '../../widgets/feedback.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { FilterChips } from './filter-chips.tsx';
import { ListDialogs } from './list-dialogs.tsx';
import css from './list-screen.module.css';
import { ListToolbar } from './list-toolbar.tsx';
import { ListView } from './list-view.tsx';
import { RecordTable } from './record-table.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useListCommands } from './use-list-commands.ts';
import { type RecordListState, useRecordList } from './use-record-list.ts';

/** The records of a doctype. */
export function Screen() {
  const { doctype = '' } = useRouteParams();
  return <ListOrSingle key={doctype} doctype={doctype} />;
}

function ListOrSingle({ doctype }: { readonly doctype: string }) {
  const { meta } = useMeta(doctype);
  return meta.issingle ? <ToSingle doctype={doctype} /> : <RecordList doctype={doctype} />;
}

// A Single has only one document, so its form opens.
function ToSingle({ doctype }: { readonly doctype: string }) {
  const go = useGo();
  useEffect(() => go(paths.record(doctype, doctype), { isReplacing: true }), [doctype, go]);
  return null;
}

function RecordList({ doctype }: { readonly doctype: string }) {
  const list = useRecordList(doctype);
  useListCommands(list);
  const { meta, selection, total, canCreate, create } = list;
  return (
    <Page
      title={t(doctype)}
      isFull
      trail={listTrail(doctype)}
      beside={total && <Muted>{`(${countWords(total)})`}</Muted>}
      actions={
        canCreate && (
          <Button kind="primary" icon="plus" onClick={create}>
            {t('New')}
          </Button>
        )
      }
    >
      <div className={css['list']}>
        <Controls list={list} />
        {list.state.search.as === 'table' ? <RecordTable list={list} /> : <ListView list={list} />}
        {/* At the end, so that it moves no row when it appears. */}
        <SelectionBar
          {...{ meta, selection, total }}
          onSelection={list.setSelection}
          onAct={list.setAction}
          onExport={() => list.setExporting(true)}
        />
      </div>
      <ListDialogs list={list} />
    </Page>
  );
}

/** What stands above the records: filters, search, columns and views. */
function Controls({ list }: { readonly list: RecordListState }) {
  const { filterable } = list;
  const { search, change } = list.state;
  return (
    <>
      <ListToolbar list={list} />
      {!search.isWhole && (
        <Alert tone="warning">
          {t('Some filters in this address are invalid and were ignored. The list may show too many rows.')}
        </Alert>
      )}
      <FilterChips
        search={search}
        fields={filterable}
        onChange={change}
        onEdit={() => list.setFiltering(true)}
      />
    </>
  );
}
