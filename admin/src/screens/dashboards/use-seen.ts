import { useEffect, useRef, useState } from 'react';

/** True once an element has come near the window: content below is not loaded before. */
export function useSeen<E extends Element>() {
  const place = useRef<E>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element || isSeen) return;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && setSeen(true), {
      rootMargin: '200px',
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [isSeen]);
  return [place, isSeen] as const;
}
