import { linksSettled } from '../widgets/fields/link-search.ts';

/**
 * Lets the control that has the focus say what it holds: some do when they are left. The focus stays where it
 * is.
 */
export async function commitFocused(): Promise<void> {
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused.matches('input, textarea')) {
    focused.blur();
    focused.focus({ preventScroll: true });
  }
  await linksSettled();
}
