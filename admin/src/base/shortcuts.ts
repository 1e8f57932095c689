import { useEffect, useRef } from 'react';
import { isCharacterShortcut, nameOfPress } from './keys.ts';
import { createStore } from './store.ts';

/** Scope of a shortcut; the help sheet groups by it. */
export type Scope = 'global' | 'dialog' | 'list' | 'form' | 'grid' | 'files' | 'webhooks';

/** A registered shortcut. */
export interface Shortcut {
  readonly scope: Scope;
  /** `mod+k`, `g d` (a sequence), `?`. */
  readonly keys: string;
  /** Translated description. */
  readonly label: string;
  readonly run: (event: KeyboardEvent) => void;
}

/** All registered shortcuts, newest last. The help sheet shows them. */
export const shortcuts = createStore<readonly Shortcut[]>([]);

const STORED = 'chancery.characterKeys';

/** True if single letters are shortcuts. Some input methods trigger them by mistake. */
export const characterKeys = createStore(
  typeof localStorage === 'undefined' || localStorage.getItem(STORED) !== 'off',
);

/** Switches single-letter shortcuts on or off on this device. */
export function allowCharacterKeys(isOn: boolean): void {
  localStorage.setItem(STORED, isOn ? 'on' : 'off');
  characterKeys.set(isOn);
}

export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);

/** Registers a shortcut while the component is mounted. Of two with the same keys, the newer one works. */
export function useShortcut(
  scope: Scope,
  keys: string,
  label: string,
  run: (event: KeyboardEvent) => void,
  { isOn = true } = {},
): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!isOn) return;
    const shortcut: Shortcut = { scope, keys, label, run: (event) => latest.current(event) };
    shortcuts.set([...shortcuts.get(), shortcut]);
    return () => shortcuts.set(shortcuts.get().filter((one) => one !== shortcut));
  }, [scope, keys, label, isOn]);
}

/** Maximum milliseconds between the keys of a sequence. */
const PAUSE = 1_000;

/** Listens to the keyboard. Call it once. */
export function startShortcuts(target: Window): void {
  let before = '';
  let at = 0;
  target.addEventListener('keydown', (event) => {
    if (event.isComposing || event.key === 'Shift') return;
    // A key that something else used ends a sequence.
    if (event.defaultPrevented) {
      before = '';
      return;
    }
    const pressed = nameOfPress(event, isMac);
    const sequence = event.timeStamp - at < PAUSE && before !== '' ? `${before} ${pressed}` : null;
    before = isText(event) ? '' : pressed;
    at = event.timeStamp;
    const found = find(sequence, event) ?? find(pressed, event);
    if (!found) return;
    before = '';
    event.preventDefault();
    found.run(event);
  });
}

function find(keys: string | null, event: KeyboardEvent): Shortcut | undefined {
  if (keys === null) return undefined;
  if (isCharacterShortcut(keys) && (!characterKeys.get() || isText(event))) return undefined;
  // A dialog blocks keys and pointer for the page below it.
  const isBehind = document.querySelector('dialog[open], [role="dialog"][aria-modal="true"]') !== null;
  return shortcuts.get().findLast((one) => one.keys === keys && (!isBehind || one.scope === 'dialog'));
}

// A grid opens the control of a cell on the first key, which continues into the control.
function isText({ target }: KeyboardEvent): boolean {
  return isTyping(target) || isTyping(document.activeElement);
}

/** True if the focused element takes key presses as text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
    return true;
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type);
  return target.getAttribute('role') === 'combobox';
}
