import { type ComponentType, useEffect, useState } from 'react';

/**
 * A component whose code is loaded when it is first wanted: null until it is there. Not `lazy`, so that what
 * it stands in opens with it inside, and the focus goes where it belongs.
 */
export function usePart<P>(
  isWanted: boolean,
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> | null {
  const [part, setPart] = useState<{ readonly Part: ComponentType<P> } | null>(null);
  useEffect(() => {
    if (!isWanted || part) return;
    let isCurrent = true;
    // A file that a newer version no longer has is told by the page itself: see `app/new-version.ts`.
    load().then(
      (Part) => isCurrent && setPart({ Part }),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [isWanted, part, load]);
  return part?.Part ?? null;
}
