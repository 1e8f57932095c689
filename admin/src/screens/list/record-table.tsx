import { t } from '../../base/i18n.ts';
import { openTab, useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { ListGrid } from '../../grid/list-grid.tsx';
import { countAll } from '../../grid/use-list-window.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { ListEmpty } from './list-empty.tsx';
import { ListFooter } from './list-footer.tsx';
import { NewsPill } from './news-pill.tsx';
import { useColumnActions } from './use-column-actions.ts';
import type { RecordListState } from './use-record-list.ts';

/** The records as a table. */
export function RecordTable({ list }: { readonly list: RecordListState }) {
  const { doctype, state, selection, setSelection, news, refresh, goTo } = list;
  const { columns, order, query } = state;
  const actions = useColumnActions(list);
  const go = useGo();
  const open = (name: string, { isApart = false } = {}) =>
    (isApart ? openTab : go)(paths.record(doctype, name));
  return (
    <ListGrid
      ref={list.grid}
      label={t(doctype)}
      {...{ doctype, query, columns, order, actions, selection }}
      onSelection={setSelection}
      onOpen={open}
      onEnd={() => goTo(Number.MAX_SAFE_INTEGER)}
      whenEmpty={<ListEmpty list={list} />}
      whenFailed={(error, retry) => <ErrorPanel error={error} onRetry={retry} />}
      above={
        <NewsPill
          news={news}
          onShow={() => {
            void refresh();
            list.grid.current?.toTop();
          }}
        />
      }
      footer={(status) => (
        <ListFooter
          status={status}
          onCount={() => countAll(doctype, query)}
          onGoTo={(row) => void goTo(row)}
        />
      )}
    />
  );
}
