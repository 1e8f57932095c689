import type { CDPSession, Page } from 'playwright-core';
import { IS_FIREFOX } from '../../support/browser.ts';

/** A finger on the screen, in pixels of the window. */
export interface Finger {
  press(x: number, y: number): Promise<void>;
  move(x: number, y: number): Promise<void>;
  lift(): Promise<void>;
}

/** Touches a page. Playwright has no touch in Firefox: there the page gets the pointer events of one. */
export async function finger(page: Page): Promise<Finger> {
  return IS_FIREFOX ? fingerOfEvents(page) : fingerOfChromium(await page.context().newCDPSession(page));
}

function fingerOfChromium(session: CDPSession): Finger {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints }).then(() => {});
  return {
    press: (x, y) => send('touchStart', [{ x, y }]),
    move: (x, y) => send('touchMove', [{ x, y }]),
    lift: () => send('touchEnd', []),
  };
}

function fingerOfEvents(page: Page): Finger {
  let at = { x: 0, y: 0 };
  let pressed = at;
  const send = (type: string, to: typeof at) => {
    at = to;
    return page.evaluate(
      ({ type, pressed, at }) => {
        const init = { bubbles: true, cancelable: true, composed: true, pointerId: 2, isPrimary: true };
        const event = new PointerEvent(type, {
          ...{ ...init, pointerType: 'touch', clientX: at.x, clientY: at.y },
          buttons: type === 'pointerup' ? 0 : 1,
        });
        // A touch belongs to the element that was pressed, if it is still there.
        (document.elementFromPoint(pressed.x, pressed.y) ?? document.body).dispatchEvent(event);
      },
      { type, pressed, at },
    );
  };
  return {
    press: (x, y) => {
      pressed = { x, y };
      return send('pointerdown', pressed);
    },
    move: (x, y) => send('pointermove', { x, y }),
    lift: () => send('pointerup', at),
  };
}
