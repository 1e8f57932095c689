import { useState } from 'react';
import { useChanges } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';

/** How many documents of a doctype changed since what is shown was read; null where nobody knows how many. */
export function useLiveChanges(doctype: string) {
  const [changed, setChanged] = useState<ReadonlySet<string> | null>(new Set());
  useChanges([doctype], (change) =>
    setChanged((before) => (change === null || before === null ? null : new Set(before).add(change.name))),
  );
  const refresh = async () => {
    setChanged(new Set());
    await queryClient.invalidateQueries({ queryKey: keys.lists(doctype) });
  };
  return { changes: changed === null ? null : changed.size, refresh };
}
