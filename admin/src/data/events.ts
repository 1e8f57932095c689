import { useEffect, useRef } from 'react';
import { keys } from './keys.ts';
import { positions } from './position.ts';
import { queryClient } from './query-client.ts';
import { addressOf } from './wire.ts';

/** A document event, without fields. */
export interface ChangeEvent {
  readonly doctype: string;
  readonly name: string;
  /**
   * `after_insert`, `on_update`, `on_submit`, `on_cancel`, `on_update_after_submit`, `on_trash`,
   * `after_rename`, or `on_mark`: a tag, like, assignment or share changed, and `modified` did not.
   */
  readonly event: string;
  readonly modified: string;
  /** The name before `after_rename`. */
  readonly old_name?: string;
}

/** Called on each change; with null if events may have been missed and all shown data is stale. */
export type ChangeListener = (change: ChangeEvent | null) => void;

interface Subscription {
  readonly doctypes: readonly string[];
  readonly listener: ChangeListener;
}

/** The server's limit of doctypes per stream. */
const MOST = 20;
/** Debounce in milliseconds: when screens change together, they share one new connection. */
const SETTLE = 150;
const LONGEST_WAIT = 30_000;

const subscriptions = new Set<Subscription>();
const viewListeners = new Set<(change: ChangeEvent) => void>();
let source: EventSource | null = null;
let followed = '';
let lastId = '';
let timer: ReturnType<typeof setTimeout> | undefined;
let failures = 0;

/**
 * Subscribes to changes of doctypes that the user may read. Returns a function that ends the subscription.
 */
export function subscribe(doctypes: readonly string[], listener: ChangeListener): () => void {
  const subscription = { doctypes, listener };
  subscriptions.add(subscription);
  schedule(SETTLE);
  return () => {
    subscriptions.delete(subscription);
    schedule(SETTLE);
  };
}

/** Subscribes while the component is mounted. */
export function useChanges(doctypes: readonly string[], listener: ChangeListener): void {
  const latest = useRef(listener);
  latest.current = listener;
  const key = JSON.stringify(doctypes);
  useEffect(() => subscribe(JSON.parse(key) as string[], (change) => latest.current(change)), [key]);
}

/** Calls back when somebody begins or ends to view a document of a doctype with a subscription. */
export function useViews(listener: (change: ChangeEvent) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const call = (change: ChangeEvent) => latest.current(change);
    viewListeners.add(call);
    return () => void viewListeners.delete(call);
  }, []);
}

/** Invalidates the cached answers of these doctypes on every change of their documents. */
export function useFreshness(doctypes: readonly string[]): void {
  useChanges(doctypes, (change) => {
    for (const doctype of change ? [change.doctype] : doctypes) {
      void queryClient.invalidateQueries({ queryKey: keys.lists(doctype) });
      const names = change ? [change.name, change.old_name] : [undefined];
      for (const name of change ? names.filter((one) => one !== undefined) : names)
        void queryClient.invalidateQueries({
          queryKey: name === undefined ? ['doc', doctype] : keys.doc(doctype, name),
        });
      if (doctype === 'DocType') void queryClient.invalidateQueries({ queryKey: ['meta'] });
    }
  });
}

// A browser opens at most six connections per host for all its tabs. Hidden tabs release theirs.
if (typeof document !== 'undefined') document.addEventListener('visibilitychange', () => schedule(0));

function schedule(delay: number): void {
  clearTimeout(timer);
  timer = setTimeout(connect, delay);
}

function wanted(): string[] {
  const all = new Set<string>();
  // Newest first: the limit favours the current screen over older subscriptions.
  for (const { doctypes } of [...subscriptions].reverse()) for (const doctype of doctypes) all.add(doctype);
  return [...all].slice(0, MOST).sort();
}

function connect(): void {
  const doctypes = document.hidden ? [] : wanted();
  const key = JSON.stringify(doctypes);
  if (source && source.readyState !== EventSource.CLOSED && key === followed) return;
  source?.close();
  source = null;
  if (doctypes.length === 0) return;
  // A position holds for every doctype, so a change between two connections is not missed.
  const from = lastId || undefined;
  followed = key;
  const stream = new EventSource(
    addressOf('/api/events', { doctype: doctypes, views: 1, last_event_id: from }),
  );
  source = stream;
  stream.addEventListener('open', (event) => {
    failures = 0;
    if (event instanceof MessageEvent) note(event);
  });
  stream.addEventListener('change', (event) => {
    note(event);
    const { name, old_name, ...change } = JSON.parse(event.data) as ChangeEvent;
    const old = old_name === undefined ? {} : { old_name: String(old_name) };
    const told = { ...change, name: String(name), ...old };
    if (told.event === 'on_view') for (const listener of [...viewListeners]) listener(told);
    else tell(told);
  });
  stream.addEventListener('reset', (event) => {
    note(event);
    tell(null);
  });
  stream.addEventListener('error', () => {
    if (stream !== source || stream.readyState !== EventSource.CLOSED) return;
    failures += 1;
    schedule(Math.min(LONGEST_WAIT, 1_000 * 2 ** failures));
  });
}

function note(event: MessageEvent): void {
  if (event.lastEventId !== '') lastId = event.lastEventId;
}

function tell(change: ChangeEvent | null): void {
  positions.noteNews();
  for (const { doctypes, listener } of [...subscriptions])
    if (change === null || doctypes.includes(change.doctype)) listener(change);
}
