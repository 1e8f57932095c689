import { useEffect, useEffectEvent } from 'react';

/** The copied text, and the target of pasted text; null: the browser's own behaviour. */
interface Clipboard {
  readonly copy: (() => string) | null;
  readonly paste: ((text: string) => void) | null;
}

/**
 * Copies and pastes text while an element that is no input has the focus. Firefox sends these events to the selected
 * text, or to the body, instead of the focused element.
 */
export function useClipboard(
  element: { readonly current: HTMLElement | null },
  { copy, paste }: Clipboard,
): void {
  const handle = useEffectEvent((event: ClipboardEvent) => {
    const { type, clipboardData } = event;
    if (document.activeElement !== element.current || !clipboardData) return;
    if (type === 'copy' && copy) clipboardData.setData('text/plain', copy());
    else if (type === 'paste' && paste) paste(clipboardData.getData('text/plain'));
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    const listen = (event: ClipboardEvent) => handle(event);
    document.addEventListener('copy', listen);
    document.addEventListener('paste', listen);
    return () => {
      document.removeEventListener('copy', listen);
      document.removeEventListener('paste', listen);
    };
  }, []);
}
