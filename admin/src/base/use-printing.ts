import { useSyncExternalStore } from 'react';

let isPrinting = false;

/** Whether the page is about to be printed: what is mounted only where it is seen, is now mounted where paper shows it. */
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
