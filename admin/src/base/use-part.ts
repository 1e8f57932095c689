import { type ComponentType, useEffect, useState } from 'react';

/**
 * Loads a component when it is first needed; null until then. Unlike `lazy`, the parent opens only when the
 * component has loaded, so the focus lands on the right element.
 */
export function usePart<P>(
  isWanted: boolean,
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> | null {
  const [part, setPart] = useState<{ readonly Part: ComponentType<P> } | null>(null);
  useEffect(() => {
    if (!isWanted || part) return;
    let isCurrent = true;
    // `app/new-version.ts` reports a chunk that a newer version removed.
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
