import { ICONS, type IconName } from '../base/icons.ts';

export type { IconName };

/** Directional icons are mirrored in right-to-left languages. */
const POINTING: ReadonlySet<IconName> = new Set<IconName>([
  'start',
  'end',
  'send',
  'sign-out',
  'list',
  'open',
  'sidebar',
  'play',
]);

/** An icon beside text or in a labelled button. It is decorative; the text carries the meaning. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      focusable="false"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={['more', 'drag'].includes(name) ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={POINTING.has(name) ? 'mantine-rotate-rtl' : undefined}
      style={{ flex: 'none' }}
    >
      <path d={ICONS[name]} />
    </svg>
  );
}
