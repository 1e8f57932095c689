/** The dashboard of `npm run demo`, and the shared views of its cards. */

import type { DemoRecord } from './demo-records.ts';

const COUNT = { of: 'count' };
const REVENUE = { of: 'sum', field: 'grand_total' };

interface DemoCard {
  readonly type: 'Number' | 'Chart' | 'List';
  readonly width: 'Quarter' | 'Third' | 'Half' | 'Full';
  readonly view: DemoRecord & { readonly label: string };
}

const report = (label: string, doctype: string, settings: object, filters: unknown[] = []) => ({
  label,
  reference_doctype: doctype,
  type: 'Report',
  is_shared: 1,
  filters,
  settings,
});

const CARDS: readonly DemoCard[] = [
  {
    type: 'Number',
    width: 'Quarter',
    view: report('Open tickets', 'Ticket', { measures: [COUNT] }, [['status', '=', 'Open']]),
  },
  {
    type: 'Number',
    width: 'Quarter',
    view: report('Urgent tickets', 'Ticket', { measures: [COUNT] }, [['priority', '=', 'Urgent']]),
  },
  {
    type: 'Number',
    width: 'Quarter',
    view: report('Open leads', 'Lead', { measures: [COUNT] }, [['status', '=', 'Open']]),
  },
  {
    type: 'Number',
    width: 'Quarter',
    view: report('Invoiced', 'Sales Invoice', { measures: [REVENUE] }, [['docstatus', '=', 1]]),
  },
  {
    type: 'Chart',
    width: 'Half',
    view: report('Invoiced by month', 'Sales Invoice', {
      groups: [{ field: 'posting_date', by: 'month' }],
      measures: [REVENUE],
      chart: 'bar',
    }),
  },
  {
    type: 'Chart',
    width: 'Half',
    view: report('Tickets by status', 'Ticket', {
      groups: [{ field: 'status' }],
      measures: [COUNT],
      chart: 'donut',
    }),
  },
  {
    type: 'Chart',
    width: 'Half',
    view: report('Tickets by priority and status', 'Ticket', {
      groups: [{ field: 'priority' }, { field: 'status' }],
      measures: [COUNT],
      chart: 'stacked',
    }),
  },
  {
    type: 'List',
    width: 'Half',
    view: {
      label: 'Open, last changed',
      reference_doctype: 'Ticket',
      type: 'Table',
      is_shared: 1,
      filters: [['status', '=', 'Open']],
      order_by: 'modified desc',
    },
  },
];

/** The views of the cards. */
export const demoViews: readonly DemoRecord[] = CARDS.map(({ view }) => view);

/** The dashboard; `nameOf` gives the name of a view by its label. */
export function demoDashboard(nameOf: (label: string) => string | undefined): DemoRecord {
  return {
    label: 'Customers and support',
    roles: [],
    cards: CARDS.map(({ view, ...card }) => ({ ...card, view: nameOf(view.label) })),
  };
}
