/** Frames waited for a tab and a section to show up. */
const PATIENCE = 120;

/**
 * Puts the focus into the control of a path as soon as it is there, and the control into view. Answers what
 * gives that up.
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

function focusField(path: string): boolean {
  const place = document.querySelector(`[data-path="${CSS.escape(path)}"]`);
  const control = place?.querySelector<HTMLElement>(
    'input:not([type="hidden"]):not([hidden]), textarea, select, button:not([tabindex="-1"]), [role="grid"], [tabindex="0"]',
  );
  if (!control) return false;
  place?.scrollIntoView({ block: 'center' });
  control.focus({ preventScroll: true });
  return true;
}
