import { lazy, Suspense } from 'react';
import type { ViewType } from '../../grid/list-search.ts';
import { Skeleton } from '../../widgets/feedback.tsx';
import { ListEmpty } from './list-empty.tsx';
import type { RecordListState } from './use-record-list.ts';

const VIEWS = {
  report: lazy(async () => ({ default: (await import('./report/report-view.tsx')).View })),
  calendar: lazy(async () => ({ default: (await import('./calendar/calendar-view.tsx')).View })),
  gallery: lazy(async () => ({ default: (await import('./gallery/gallery-view.tsx')).View })),
  board: lazy(async () => ({ default: (await import('./board/board-view.tsx')).View })),
} as const satisfies Readonly<Record<Exclude<ViewType, 'table'>, unknown>>;

/** The records as anything but a table. Each type of view is a chunk of its own. */
export function ListView({ list }: { readonly list: RecordListState }) {
  const { bundle, state, views, total, canCreate } = list;
  const { search, fields } = state;
  if (search.as === 'table') return null;
  const View = VIEWS[search.as];
  return (
    <Suspense fallback={<Skeleton height={320} />}>
      <View
        {...{ bundle, fields, search, total, canCreate }}
        conditions={views.conditions}
        settings={search.settings}
        onSettings={views.setSettings}
        whenEmpty={<ListEmpty list={list} />}
      />
    </Suspense>
  );
}
