import type { ScreenState } from './screen-state.ts';

/** Of bills by month and state. */
const REPORT = {
  groups: [{ field: 'posting_date', by: 'month' }, { field: 'status' }],
  measures: [{ of: 'sum', field: 'total' }],
  pivot: 1,
  chart: 'stacked',
};

/** A list as a report, a board, a calendar and a gallery. */
export const LIST_VIEW_STATES: readonly ScreenState[] = [
  {
    name: 'list-report',
    path: '/d/Bill?as=report',
    ready: (page) => page.getByRole('row', { name: /^Total/ }),
  },
  {
    name: 'list-report-time',
    path: `/d/Bill?as=report&settings=${encodeURIComponent(JSON.stringify(REPORT))}`,
    ready: (page) => page.getByRole('figure').getByRole('img'),
  },
  {
    name: 'list-report-donut',
    path: `/d/Bill?as=report&settings=${encodeURIComponent(JSON.stringify({ ...REPORT, chart: 'donut' }))}`,
    ready: (page) => page.getByText('%').first(),
  },
  {
    name: 'list-board',
    path: '/d/Bill?as=board',
    ready: (page) => page.locator('[data-card]').first(),
  },
  {
    name: 'list-calendar',
    path: '/d/Bill?as=calendar&on=2026-03-15',
    ready: (page) => page.locator('[data-event]').first(),
  },
  {
    name: 'list-calendar-week',
    path: `/d/Everything?as=calendar&on=2026-03-18&settings=${encodeURIComponent(JSON.stringify({ start: 'datetime', mode: 'week' }))}`,
    ready: (page) => page.locator('[data-event]').first(),
  },
  {
    name: 'list-agenda',
    path: `/d/Bill?as=calendar&on=2026-03-15&settings=${encodeURIComponent(JSON.stringify({ mode: 'agenda' }))}`,
    ready: (page) => page.locator('[data-kind="line"]').first(),
  },
  {
    name: 'list-gallery',
    path: '/d/Everything?as=gallery',
    ready: (page) => page.getByRole('link', { name: 'A line of text' }),
  },
];
