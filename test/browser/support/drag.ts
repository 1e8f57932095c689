import type { Locator } from 'playwright-core';
import { IS_FIREFOX } from '../../support/browser.ts';

/**
 * Drags something draggable to another place. WebDriver BiDi begins a drag in Firefox, but never drops; the events of
 * one are sent there instead.
 */
export async function drag(from: Locator, to: Locator): Promise<void> {
  if (!IS_FIREFOX) return from.dragTo(to);
  const target = await to.elementHandle();
  await from.evaluate((source, goal) => {
    const dataTransfer = new DataTransfer();
    const tell = (type: string, at: Element | null) => {
      const { x, y, width, height } = (at ?? source).getBoundingClientRect();
      const [clientX, clientY] = [x + width / 2, y + height / 2];
      const init = { bubbles: true, cancelable: true, composed: true, dataTransfer, clientX, clientY };
      return (at ?? source).dispatchEvent(new DragEvent(type, init));
    };
    if (!tell('dragstart', source)) return;
    tell('dragenter', goal);
    // Only what takes a drag gets its drop.
    if (!tell('dragover', goal)) tell('drop', goal);
    tell('dragend', source);
  }, target);
}
