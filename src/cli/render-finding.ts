import type { Finding } from '../site/doctor/finding.ts';

/** A finding as lines of text: its state, its check and its message, then the remedy. */
export function renderFinding({ check, state, message, remedy }: Finding): string[] {
  const first = `${state.padEnd(7)}  ${check.padEnd(12)}  ${message}`;
  return remedy === undefined ? [first] : [first, `${' '.repeat(23)}-> ${remedy}`];
}
