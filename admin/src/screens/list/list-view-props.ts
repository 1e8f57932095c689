import type { ReactNode } from 'react';
import type { ListQuery } from '../../data/documents.ts';
import type { ListSearch, ViewSettings } from '../../grid/list-search.ts';
import type { Field, MetaBundle } from '../../meta/meta.ts';
import type { RecordListState } from './use-record-list.ts';

/** What a list gives to each type of view but the table. */
export interface ListViewProps {
  readonly bundle: MetaBundle;
  /** The fields that the user may read and lists can show, standard fields last. */
  readonly fields: readonly Field[];
  readonly search: ListSearch;
  /** The conditions of the list, as every request of a view sends them. */
  readonly conditions: Pick<ListQuery, 'filters' | 'or_filters'>;
  /** Of this type of view; empty for the defaults. */
  readonly settings: ViewSettings;
  readonly onSettings: (settings: ViewSettings) => void;
  /** How many documents match; undefined while they are counted. */
  readonly total: RecordListState['total'];
  readonly canCreate: boolean;
  /** Says why there are no documents, and what to do. */
  readonly whenEmpty: ReactNode;
}
