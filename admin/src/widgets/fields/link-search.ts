import { useEffect, useState } from 'react';
import { type Found, searchLink } from '../../data/documents.ts';
import { keepTitle } from '../../meta/link-titles.ts';

/** Milliseconds without a key press before the server is asked. */
const PAUSE = 150;
const LINES = 10;

/** What a search has found so far. */
export interface LinkSearch {
  readonly found: readonly Found[];
  readonly isLoading: boolean;
  readonly error: unknown;
}

const NOTHING: LinkSearch = { found: [], isLoading: true, error: null };

/** Looks for documents to link to while somebody types. `text` null: nobody does. */
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
    // The first list is there at once; what is typed waits for the end of the word.
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

/**
 * Documents whose name, title or search fields contain a text; their titles are kept for whoever shows one.
 */
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
 * The one document that a text means: its name or its title, in whatever case. Undefined when none or
 * several.
 */
export function meantBy(text: string, found: readonly Found[]): Found | undefined {
  const wanted = text.trim().toLowerCase();
  const named = found.find((one) => one.value.toLowerCase() === wanted);
  const titled = found.filter((one) => one.label?.toLowerCase() === wanted);
  return named ?? (titled.length === 1 ? titled[0] : undefined);
}

/** The filters that a link's picker begins with: JSON that a person wrote. Null for none. */
export function filtersOf(text: string): unknown {
  try {
    const filters: unknown = text === '' ? null : JSON.parse(text);
    return typeof filters === 'object' ? filters : null;
  } catch {
    return null;
  }
}

const settling = new Set<Promise<unknown>>();

/** Notes that a link is still looking for what its text means. */
export function noteSettling(work: Promise<unknown>): void {
  settling.add(work);
  void work.finally(() => settling.delete(work));
}

/** Resolves when all links say what they mean: before a form is sent. */
export async function linksSettled(): Promise<void> {
  await Promise.allSettled([...settling]);
}
