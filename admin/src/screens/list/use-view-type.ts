import { useMemo } from 'react';
import type { ListQuery } from '../../data/documents.ts';
import type { ViewSettings, ViewType } from '../../grid/list-search.ts';
import { rememberedSettings, rememberView } from './remembered-view.ts';
import type { useListState } from './use-list-state.ts';
import { type ViewChoice, viewChoices } from './view-types.ts';

/** How a list shows its documents, and the ways to change that. */
export interface ViewTypeState {
  readonly choices: readonly ViewChoice[];
  readonly setType: (type: ViewType) => void;
  readonly setSettings: (settings: ViewSettings) => void;
  readonly conditions: Pick<ListQuery, 'filters' | 'or_filters'>;
}

/** The type of view of a list. The address has it, and this device remembers it for the doctype. */
export function useViewType(
  { search, change, fields, query }: ReturnType<typeof useListState>,
  doctype: string,
): ViewTypeState {
  const { filters, or_filters } = query;
  return {
    choices: useMemo(() => viewChoices(fields), [fields]),
    setType: (as) => {
      if (as === search.as) return;
      const settings = rememberedSettings(doctype, as);
      rememberView(doctype, as, settings);
      change({ as, settings, view: null }, { isReplacing: false });
    },
    setSettings: (settings) => {
      rememberView(doctype, search.as, settings);
      change({ settings });
    },
    conditions: useMemo(
      () => ({ ...(filters ? { filters } : {}), ...(or_filters ? { or_filters } : {}) }),
      [filters, or_filters],
    ),
  };
}
