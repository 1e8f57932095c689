import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { BootDoctype } from '../../data/boot.ts';
import { countWords } from '../../data/count-words.ts';
import { countRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { Muted } from '../../widgets/layout.tsx';

/** The number of records, up to a cap. Counted only for visible rows. */
export function RowCount({ doctype }: { readonly doctype: BootDoctype }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isSeen, setSeen] = useState(false);
  const isCounted = !doctype.issingle && !doctype.is_virtual;
  const { data, isError } = useQuery({
    queryKey: keys.count(doctype.name, {}),
    queryFn: ({ signal }) => countRows(doctype.name, {}, { signal }),
    enabled: isSeen && isCounted,
  });
  useEffect(() => {
    const element = place.current;
    if (!element || !isCounted) return;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && setSeen(true));
    watch.observe(element);
    return () => watch.disconnect();
  }, [isCounted]);
  return <span ref={place}>{isCounted && !isError && (data ? countWords(data) : <Muted>…</Muted>)}</span>;
}
