/** Puts the focus into the control of a path, and the control into view. */
export function focusField(path: string): void {
  const place = document.querySelector(`[data-path="${CSS.escape(path)}"]`);
  const control = place?.querySelector<HTMLElement>(
    'input:not([type="hidden"]):not([hidden]), textarea, select, button:not([tabindex="-1"]), [role="grid"], [tabindex="0"]',
  );
  place?.scrollIntoView({ block: 'center' });
  control?.focus({ preventScroll: true });
}
