import { useRef, useState } from 'react';
import { useChanges } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';

/** Milliseconds after which a change is no echo of one's own any more. */
const ECHO = 10_000;

/** How many documents of a doctype changed since what is shown was read; null where nobody knows how many. */
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
  /** Reads anew what is shown; what was just changed from here is not told as news. */
  const refresh = async (names: readonly string[] = []) => {
    own.current = { names: new Set(names), until: performance.now() + ECHO };
    setChanged(new Set());
    await queryClient.invalidateQueries({ queryKey: keys.lists(doctype) });
  };
  return { changes: changed === null ? null : changed.size, refresh };
}
