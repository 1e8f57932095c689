import { useEffect, useRef } from 'react';
import { keys } from './keys.ts';
import { queryClient } from './query-client.ts';
import { addressOf } from './wire.ts';

/** An event of a document, without its fields. */
export interface ChangeEvent {
  readonly doctype: string;
  readonly name: string;
  /**
   * `after_insert`, `on_update`, `on_submit`, `on_cancel`, `on_update_after_submit`, `on_trash`,
   * `after_rename`.
   */
  readonly event: string;
  readonly modified: string;
  /** Before `after_rename`. */
  readonly old_name?: string;
}

/** Told each change; null when some may have been missed, and everything shown is to be read anew. */
export type ChangeListener = (change: ChangeEvent | null) => void;

interface Subscription {
  readonly doctypes: readonly string[];
  readonly listener: ChangeListener;
}

/** The server follows so many doctypes in a stream. */
const MOST = 20;
/** Screens change together: one new connection for all that they ask within this time. */
const SETTLE = 150;
const LONGEST_WAIT = 30_000;

const subscriptions = new Set<Subscription>();
let source: EventSource | null = null;
let followed = '';
let lastId = '';
let timer: ReturnType<typeof setTimeout> | undefined;
let failures = 0;

/** Listens to changes of these doctypes, which the user must be able to read. Returns what ends it. */
export function subscribe(doctypes: readonly string[], listener: ChangeListener): () => void {
  const subscription = { doctypes, listener };
  subscriptions.add(subscription);
  schedule(SETTLE);
  return () => {
    subscriptions.delete(subscription);
    schedule(SETTLE);
  };
}

/** The same for as long as a component is there. */
export function useChanges(doctypes: readonly string[], listener: ChangeListener): void {
  const latest = useRef(listener);
  latest.current = listener;
  const key = JSON.stringify(doctypes);
  useEffect(() => subscribe(JSON.parse(key) as string[], (change) => latest.current(change)), [key]);
}

/** Makes stale what is kept of these doctypes whenever one of their documents changes. */
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

// A browser has six connections to a host for all its tabs: those that nobody looks at give theirs back.
if (typeof document !== 'undefined') document.addEventListener('visibilitychange', () => schedule(0));

function schedule(delay: number): void {
  clearTimeout(timer);
  timer = setTimeout(connect, delay);
}

function wanted(): string[] {
  const all = new Set<string>();
  // The newest first: what is on the screen goes before what lingers.
  for (const { doctypes } of [...subscriptions].reverse()) for (const doctype of doctypes) all.add(doctype);
  return [...all].slice(0, MOST).sort();
}

function connect(): void {
  const doctypes = document.hidden ? [] : wanted();
  const key = JSON.stringify(doctypes);
  if (source && source.readyState !== EventSource.CLOSED && key === followed) return;
  const isWider = !doctypes.every((one) => followed.includes(JSON.stringify(one)));
  source?.close();
  source = null;
  if (doctypes.length === 0) return;
  // A new subscription has no position in the stream to resume from.
  const from = isWider ? undefined : lastId || undefined;
  followed = key;
  const stream = new EventSource(addressOf('/api/events', { doctype: doctypes, last_event_id: from }));
  source = stream;
  stream.addEventListener('open', (event) => {
    failures = 0;
    if (event instanceof MessageEvent) note(event);
  });
  stream.addEventListener('change', (event) => {
    note(event);
    tell(JSON.parse(event.data) as ChangeEvent);
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
  for (const { doctypes, listener } of [...subscriptions])
    if (change === null || doctypes.includes(change.doctype)) listener(change);
}
