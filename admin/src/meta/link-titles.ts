import { useEffect, useSyncExternalStore } from 'react';
import { isApiError } from '../data/api-error.ts';
import { knownBoot } from '../data/boot.ts';
import { listRows } from '../data/documents.ts';

/** Titles of linked documents. All names of a doctype that appear together cost one request. */
const titles = new Map<string, Map<string, string>>();
const asked = new Map<string, Set<string>>();
const listeners = new Set<() => void>();
let version = 0;
let isPlanned = false;

/** Maximum number of documents of a batch. */
export const BATCH = 100;

/**
 * The title of a document: undefined while it loads; its name if it has no title or the user may not read it.
 */
export function titleOf(doctype: string, name: string): string | undefined {
  return titles.get(doctype)?.get(name);
}

/** Caches a title that came with another reply. */
export function keepTitle(doctype: string, name: string, title: string): void {
  of(titles, doctype, () => new Map<string, string>()).set(name, title || name);
  changed();
}

/** Requests unknown titles in a batch with all others wanted at the same time. */
export function wantTitles(doctype: string, names: readonly string[]): void {
  const known = titles.get(doctype);
  const missing = names.filter((name) => name !== '' && !known?.has(name));
  if (missing.length === 0) return;
  const waiting = of(asked, doctype, () => new Set<string>());
  for (const name of missing) waiting.add(name);
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(askAll, 10);
}

/** The title of one document, for a component. */
export function useLinkTitle(doctype: string, name: string): string | undefined {
  useEffect(() => wantTitles(doctype, [name]), [doctype, name]);
  return useSyncExternalStore(subscribe, () => titleOf(doctype, name));
}

/**
 * For lists: re-renders when any title arrives. Request titles with `wantTitles`, show them with the returned
 * function.
 */
export function useTitleOf(): typeof titleOf {
  useSyncExternalStore(subscribe, () => version);
  return titleOf;
}

/** Drops the cached titles of a doctype, or of one document, after a change. */
export function forgetTitles(doctype: string, name?: string): void {
  if (name === undefined) titles.delete(doctype);
  else titles.get(doctype)?.delete(name);
  changed();
}

function askAll(): void {
  isPlanned = false;
  const batches = [...asked].flatMap(([doctype, names]) => {
    const all = [...names];
    return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) => ({
      doctype,
      names: all.slice(at * BATCH, (at + 1) * BATCH),
    }));
  });
  asked.clear();
  for (const { doctype, names } of batches) void ask(doctype, names);
}

async function ask(doctype: string, names: readonly string[]): Promise<void> {
  const found = of(titles, doctype, () => new Map<string, string>());
  // A name is shown while its title cannot be read.
  const named = () => new Map(names.map((name) => [name, name]));
  for (const [name, title] of await fetchTitles(doctype, names).catch(named)) found.set(name, title);
  changed();
}

/** The titles of a batch of documents. One without a title, or that the user may not read, has its name. */
export async function fetchTitles(
  doctype: string,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map(names.map((name) => [name, name]));
  const field = knownBoot()?.doctypes.get(doctype)?.title_field ?? '';
  if (field === '' || field === 'name') return found;
  const query = {
    fields: ['name', field],
    filters: [['name', 'in', names] as const],
    limit_page_length: names.length,
  };
  try {
    for (const row of await listRows(doctype, query, signal ? { signal } : {}))
      found.set(String(row['name']), String(row[field] || row['name']));
  } catch (error) {
    if (!isApiError(error) || ![403, 404, 417].includes(error.status)) throw error;
  }
  return found;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  version += 1;
  for (const listener of [...listeners]) listener();
}

function of<V>(map: Map<string, V>, key: string, make: () => V): V {
  const held = map.get(key) ?? make();
  map.set(key, held);
  return held;
}
