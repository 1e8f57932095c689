import { useEffect, useRef } from 'react';
import { useChanges } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';

/** Milliseconds in which many changes reload the view once. */
const PAUSE = 400;

/** Reloads the shown rows of a doctype when somebody changes its documents. */
export function useFreshLists(doctype: string): void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useChanges([doctype], () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => void queryClient.invalidateQueries({ queryKey: keys.lists(doctype) }),
      PAUSE,
    );
  });
}
