import type { Tone } from '../../../widgets/feedback.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  Delivered: 'success',
  Pending: 'info',
  Failed: 'warning',
  Held: 'warning',
  Exhausted: 'danger',
};

/** What the state of a delivery means. */
export function toneOf(status: string): Tone {
  return TONES[status] ?? 'neutral';
}
