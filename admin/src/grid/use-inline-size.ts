import { type RefObject, useLayoutEffect, useState } from 'react';

/** The width of an element's content in pixels, without its scroll bar; 0 while it is not displayed. */
export function useInlineSize(element: RefObject<HTMLElement | null>): number {
  const [size, setSize] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    setSize(current.clientWidth);
    const watch = new ResizeObserver(() => setSize(current.clientWidth));
    watch.observe(current);
    return () => watch.disconnect();
  }, [element]);
  return size;
}
