import { useBlocker, useParams, useRouter, useRouterState } from '@tanstack/react-router';
import { type ComponentPropsWithRef, type MouseEvent, useCallback } from 'react';
import { hrefOf } from './paths.ts';

/** Navigates to a path of `paths`. `isReplacing` adds no history entry. */
export type Go = (path: string, options?: { readonly isReplacing?: boolean }) => void;

/** Returns the function that navigates to another screen. */
export function useGo(): Go {
  const { history } = useRouter();
  return useCallback(
    (path, { isReplacing = false } = {}) => {
      if (isReplacing) history.replace(hrefOf(path));
      else history.push(hrefOf(path));
    },
    [history],
  );
}

/** Opens a path of `paths` in a new tab. */
export function openTab(path: string): void {
  window.open(hrefOf(path), '_blank', 'noopener');
}

/** A real link to a path of `paths`, which the browser can open in a new tab. */
export function PathLink({ to, onClick, ...rest }: ComponentPropsWithRef<'a'> & { readonly to: string }) {
  const go = useGo();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isOwn = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isOwn || (rest.target && rest.target !== '_self')) return;
    event.preventDefault();
    go(to);
  };
  return <a {...rest} href={hrefOf(to)} onClick={follow} />;
}

/** Parameters of the route: `{doctype, name}`. */
export function useRouteParams(): Readonly<Record<string, string | undefined>> {
  return useParams({ strict: false });
}

/** The current path below `/app`, without search parameters. */
export function usePath(): string {
  return useRouterState({ select: (state) => state.location.pathname });
}

/** Search parameters, parsed by `read`. Users can edit them, so `read` must accept any value. */
export function useSearch<T>(read: (search: Readonly<Record<string, unknown>>) => T): T {
  const search = useRouterState({ select: (state) => state.location.search as Record<string, unknown> });
  return read(search);
}

/**
 * Changes only the given search parameters; undefined removes one. Adds a history entry unless `isReplacing`.
 */
export function useSetSearch(): (
  changes: Readonly<Record<string, unknown>>,
  options?: { readonly isReplacing?: boolean },
) => void {
  const router = useRouter();
  return useCallback(
    (changes, { isReplacing = true } = {}) => {
      void router.navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, ...changes }),
        replace: isReplacing,
        resetScroll: false,
      } as Parameters<typeof router.navigate>[0]);
    },
    [router],
  );
}

/** The user's choices while the leave guard blocks navigation. */
export interface HeldBack {
  readonly leave: () => void;
  readonly stay: () => void;
}

/**
 * Blocks navigation while `isDirty`. Returns null, or the choices for a dialog while navigation is blocked.
 */
export function useLeaveGuard(isDirty: boolean): HeldBack | null {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return blocker.status === 'blocked' ? { leave: blocker.proceed, stay: blocker.reset } : null;
}
