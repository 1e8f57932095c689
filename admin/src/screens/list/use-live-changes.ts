import { useRef, useState } from 'react';
import { useChanges } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';

/** For this many milliseconds, an event can be the echo of the user's own change. */
const ECHO = 10_000;

/** The number of documents of a doctype that changed since the list was loaded; null if unknown. */
export function useLiveChanges(doctype: string) {
  const [changed, setChanged] = useState<ReadonlySet<string> | null>(new Set());
  const own = useRef<{ readonly names: ReadonlySet<string>; readonly until: number }>({
    names: new Set(),
    until: 0,
  });
  useChanges([doctype], (change) => {
    const { names, until } = own.current;
    if (change && names.has(change.name) && performance.now() < until) return;
    setChanged((before) => (change === null || before === null ? null : new Set(before).add(change.name)));
  });
  /** Reloads the list. Changes made in this list do not count as news. */
  const refresh = async (names: readonly string[] = []) => {
    own.current = { names: new Set(names), until: performance.now() + ECHO };
    setChanged(new Set());
    await queryClient.invalidateQueries({ queryKey: keys.lists(doctype) });
  };
  return { changes: changed === null ? null : changed.size, refresh };
}
