import { linksSettled } from '../widgets/fields/link-search.ts';

/** Makes the focused control commit its value, as some do only on blur. The control keeps the focus. */
export async function commitFocused(): Promise<void> {
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused.matches('input, textarea')) {
    focused.blur();
    focused.focus({ preventScroll: true });
  }
  await linksSettled();
}
