import { useEffect, useRef } from 'react';
import type { Delivery } from '../../data/deliveries.ts';

/** Names of rows that are new since the last refresh. They are highlighted briefly. */
export function useFresh(rows: readonly Delivery[]): ReadonlySet<string> {
  const before = useRef<ReadonlySet<string> | null>(null);
  const known = before.current;
  useEffect(() => {
    before.current = new Set(rows.map(({ name }) => name));
  }, [rows]);
  return new Set(known ? rows.filter(({ name }) => !known.has(name)).map(({ name }) => name) : []);
}
