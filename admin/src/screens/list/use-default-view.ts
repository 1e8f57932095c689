import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useUser } from '../../data/boot.ts';
import type { ListSearch, ViewSettings, ViewType } from '../../grid/list-search.ts';
import { rememberedSettings, rememberedType } from './remembered-view.ts';
import { defaultView, isViewShown, type SavedView, viewsQuery } from './saved-views.ts';

interface DefaultViewOptions {
  readonly doctype: string;
  readonly search: ListSearch;
  /** True if the address has no search parameters. */
  readonly isBare: boolean;
  readonly onChoose: (view: SavedView) => void;
  /** Called with the type of view that the user chose here last. */
  readonly onRemembered: (as: ViewType, settings: ViewSettings) => void;
}

/**
 * On arrival, applies the default view to an address without parameters, else the type of view that the user
 * chose last; or the named view to an address with only its name.
 */
export function useDefaultView({
  doctype,
  search,
  isBare,
  onChoose,
  onRemembered,
}: DefaultViewOptions): void {
  const user = useUser();
  const { data: views } = useQuery(viewsQuery(doctype));
  const isSettled = useRef(false);
  const isNamed =
    search.view !== null &&
    search.filters.length + search.or.length + search.order.length === 0 &&
    search.as === 'table';
  useEffect(() => {
    if (isSettled.current || !views) return;
    isSettled.current = true;
    const view = isBare
      ? defaultView(views, user.name)
      : isNamed
        ? views.find((one) => one.name === search.view)
        : undefined;
    if (view && !isViewShown(view, search)) onChoose(view);
    if (view || !isBare) return;
    const as = rememberedType(doctype);
    if (as !== 'table') onRemembered(as, rememberedSettings(doctype, as));
  });
}
