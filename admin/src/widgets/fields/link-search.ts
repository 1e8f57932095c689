import { useEffect, useState } from 'react';
import { type Found, searchLink } from '../../data/documents.ts';
import { keepTitle } from '../../meta/link-titles.ts';

/** Debounce in milliseconds. */
const PAUSE = 150;
const LINES = 10;

/** The state of a search. */
export interface LinkSearch {
  readonly found: readonly Found[];
  readonly isLoading: boolean;
  readonly error: unknown;
}

const NOTHING: LinkSearch = { found: [], isLoading: true, error: null };

/** Searches for documents while the user types. If `text` is null, nothing is searched. */
export function useLinkSearch(doctype: string, text: string | null, filters: unknown): LinkSearch {
  const [state, setState] = useState<LinkSearch>(NOTHING);
  const key = JSON.stringify(filters ?? null);
  useEffect(() => {
    if (text === null || doctype === '') {
      setState(NOTHING);
      return;
    }
    const control = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    // The first list loads without delay; later searches are debounced.
    const timer = setTimeout(() => void run(), text === '' ? 0 : PAUSE);
    async function run() {
      try {
        const found = await findLinks(doctype, text ?? '', JSON.parse(key), control.signal);
        setState({ found, isLoading: false, error: null });
      } catch (error) {
        if (!control.signal.aborted) setState({ found: [], isLoading: false, error });
      }
    }
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [doctype, text, key]);
  return state;
}

/** Documents whose name, title or search fields contain a text. Caches their titles. */
export async function findLinks(
  doctype: string,
  text: string,
  filters: unknown,
  signal?: AbortSignal,
): Promise<readonly Found[]> {
  const found = await searchLink(doctype, text.trim(), {
    ...(filters === null ? {} : { filters }),
    pageLength: LINES,
    ...(signal ? { signal } : {}),
  });
  for (const { value, label } of found) keepTitle(doctype, value, label ?? value);
  return found;
}

/**
 * The one document whose name or title equals the text, ignoring case. Undefined if none or several match.
 */
export function meantBy(text: string, found: readonly Found[]): Found | undefined {
  const wanted = text.trim().toLowerCase();
  const named = found.find((one) => one.value.toLowerCase() === wanted);
  const titled = found.filter((one) => one.label?.toLowerCase() === wanted);
  return named ?? (titled.length === 1 ? titled[0] : undefined);
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
