/** Paths on a 24 by 24 grid, drawn for this UI. */
const ICONS = {
  home: 'M4 11 12 4l8 7M6 9.5V20h12V9.5M10 20v-5h4v5',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  folder: 'M3 7a1 1 0 0 1 1-1h5l2 2h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1Z',
  file: 'M6 3h8l4 4v14H6ZM14 3v4h4',
  webhook:
    'M12 9 8.5 15M12 9a3 3 0 1 1 2.6-1.5M8.5 15a3 3 0 1 1-3-1.9M15 17h-4M15 17a3 3 0 1 0 .4-2M14 8.5l2.6 4.6',
  send: 'M4 12 20 4l-5 16-3.5-6.5ZM11.5 13.5 20 4',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20c0-4 2.9-6 6.5-6s6.5 2 6.5 6M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.5c2.2.8 3.5 2.6 3.5 5.5',
  user: 'M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 21c0-4.5 3.3-7 7.5-7s7.5 2.5 7.5 7',
  key: 'M8 16a4 4 0 1 1 3.4-6.1H21v4h-3v2.5h-3.2V13.9h-3A4 4 0 0 1 8 16ZM8 12h.01',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.5 15.5 20 20',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.5 10 17 19 7',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  start: 'M15 6l-6 6 6 6',
  end: 'M9 6l6 6-6 6',
  menu: 'M4 6h16M4 12h16M4 18h16',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z',
  screen: 'M3 5h18v11H3ZM8 20h8M12 16v4',
  copy: 'M9 9h11v11H9ZM5 15H4V4h11v1',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  edit: 'M4 20h4L19 9l-4-4L4 16ZM13 7l4 4',
  filter: 'M4 5h16l-6 7.5V19l-4 1.5v-8Z',
  columns: 'M4 5h16v14H4ZM9.3 5v14M14.7 5v14',
  sort: 'M8 5v14M8 19l-3-3M8 19l3-3M16 19V5M16 5l-3 3M16 5l3 3',
  refresh: 'M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9M20 4.5V9h-4.5',
  download: 'M12 4v11M7.5 11 12 15.5 16.5 11M4 20h16',
  upload: 'M12 16V5M7.5 9 12 4.5 16.5 9M4 20h16',
  lock: 'M6 11h12v9H6ZM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  globe:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9s.5-6 3.5-9Z',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.3-3.3a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0L5 13.3A4 4 0 0 0 10.7 19l1.3-1.3',
  open: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  star: 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8Z',
  history: 'M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5M12 8v4.5l3 2',
  comment: 'M4 5h16v11h-9l-4 4v-4H4Z',
  attach:
    'M19 11.5 12 18.5a4.5 4.5 0 0 1-6.4-6.4l7.5-7.5a3 3 0 0 1 4.3 4.3l-7.4 7.4a1.5 1.5 0 0 1-2.2-2.1l6.3-6.3',
  alert: 'M12 4 2.5 20h19ZM12 10v4.5M12 17.3h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 11v5.5M12 7.7h.01',
  sidebar: 'M4 5h16v14H4ZM9.5 5v14',
  keyboard: 'M3 6h18v12H3ZM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  'sign-out': 'M14 4H5v16h9M10 12h11M17.5 8.5 21 12l-3.5 3.5',
  settings:
    'M4 7h9M17 7h3M15 9.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM4 17h3M11 17h9M9 19.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4Z',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  grid: 'M4 4h7v7H4ZM13 4h7v7h-7ZM4 13h7v7H4ZM13 13h7v7h-7Z',
  play: 'M7 4.5v15l12-7.5Z',
  pause: 'M7 5h3v14H7ZM14 5h3v14h-3Z',
  drag: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
} as const;

export type IconName = keyof typeof ICONS;

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
