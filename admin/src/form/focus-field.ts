/** Maximum frames to wait for a tab and a section to open. */
const PATIENCE = 120;

/**
 * Focuses the control of a path once it is mounted, and scrolls to it. Returns a function that cancels the
 * wait.
 */
export function focusWhenThere(path: string): () => void {
  let frame = 0;
  let left = PATIENCE;
  const look = () => {
    left -= 1;
    if (focusField(path) || left === 0) return;
    frame = requestAnimationFrame(look);
  };
  frame = requestAnimationFrame(look);
  return () => cancelAnimationFrame(frame);
}

/** Focuses the control of a path and scrolls to it. Returns false if it is not mounted. */
export function focusField(path: string): boolean {
  const place = document.querySelector(`[data-path="${CSS.escape(path)}"]`);
  const control = place?.querySelector<HTMLElement>(
    'input:not([type="hidden"]):not([hidden]), textarea, select, button:not([tabindex="-1"]), [role="grid"], [tabindex="0"]',
  );
  if (!control) return false;
  place?.scrollIntoView({ block: 'center' });
  control.focus({ preventScroll: true });
  return true;
}
