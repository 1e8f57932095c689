import { useSyncExternalStore } from 'react';

let isPrinting = false;

/** True while the page prints. Virtualized content is then rendered in full. */
export function usePrinting(): boolean {
  return useSyncExternalStore(listen, () => isPrinting);
}

function listen(tell: () => void): () => void {
  const begin = () => {
    isPrinting = true;
    tell();
  };
  const end = () => {
    isPrinting = false;
    tell();
  };
  window.addEventListener('beforeprint', begin);
  window.addEventListener('afterprint', end);
  return () => {
    window.removeEventListener('beforeprint', begin);
    window.removeEventListener('afterprint', end);
  };
}
