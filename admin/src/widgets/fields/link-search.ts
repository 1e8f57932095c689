import { useEffect, useMemo, useRef } from 'react';
import { useStore } from '../../base/store.ts';
import { type Found, searchLink } from '../../data/documents.ts';
import { keepTitle } from '../../meta/link-titles.ts';
import { type Extra, LinkList, type LinkOptionsState } from './link-list.ts';

const LINES = 10;

/** The list of a picker and its state. The entries after the documents are in `extras`. */
export function useLinkList(
  doctype: string,
  filters: unknown,
  extras: readonly Extra[] = [],
): readonly [LinkList, LinkOptionsState] {
  const key = JSON.stringify(filters ?? null);
  const latest = useRef(extras);
  latest.current = extras;
  const list = useMemo(
    () =>
      new LinkList({
        ask: (text, signal) => findLinks(doctype, text, JSON.parse(key), signal),
        extras: () => latest.current,
      }),
    [doctype, key],
  );
  return [list, useStore(list.state)];
}

/** Documents found while the user types. If `text` is null, nothing is searched. */
export function useLinkSearch(doctype: string, text: string | null, filters: unknown): LinkOptionsState {
  const [list, state] = useLinkList(doctype, filters);
  useEffect(() => list.look(doctype === '' ? null : text), [list, doctype, text]);
  useEffect(() => () => list.look(null), [list]);
  return state;
}

/** Documents whose name, title or search fields contain a text. Caches their titles. */
async function findLinks(
  doctype: string,
  text: string,
  filters: unknown,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const found = await searchLink(doctype, text, {
    ...(filters === null ? {} : { filters }),
    pageLength: LINES,
    signal,
  });
  for (const { value, label } of found) keepTitle(doctype, value, label ?? value);
  return found;
}

/**
 * Parses the initial filters of a link's picker. A user wrote this JSON, so it can be invalid. Null for none.
 */
export function filtersOf(text: string): unknown {
  try {
    const filters: unknown = text === '' ? null : JSON.parse(text);
    return typeof filters === 'object' ? filters : null;
  } catch {
    return null;
  }
}

const settling = new Set<Promise<unknown>>();

/** Registers a link that still resolves its typed text. */
export function noteSettling(work: Promise<unknown>): void {
  settling.add(work);
  void work.finally(() => settling.delete(work));
}

/** Resolves when all links have resolved their text. Awaited before a save. */
export async function linksSettled(): Promise<void> {
  await Promise.allSettled([...settling]);
}
