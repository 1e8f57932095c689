import { demoLogo } from './demo-logo.ts';

/** The records of `npm run demo`: the same ones every time but for their dates, made of a few lists. */

export type DemoRecord = Readonly<Record<string, unknown>>;

export interface DemoSet {
  readonly doctype: string;
  /** The field that tells whether a record is there already. */
  readonly key: string;
  readonly records: readonly DemoRecord[];
  /** A field with a picture, and its bytes as PNG. */
  readonly picture?: { readonly field: string; readonly draw: (record: DemoRecord) => Buffer };
}

const FIRST_NAMES =
  'Amara Bruno Chiara Daniel Elif Femi Greta Hugo Ines Jonas Keiko Liam Maya Nils Olga Priya Quentin Rosa Samir Tessa'.split(
    ' ',
  );
const LAST_NAMES =
  'Adeyemi Bianchi Castillo Dubois Eriksen Fischer Garcia Haddad Ivanova Jansen Kowalski Lindqvist Moreau Novak Okafor Petrov Rossi Sato Tanaka Weber'.split(
    ' ',
  );
const TRADES =
  'Bakery Brewery Carpentry Clinic Consulting Dairy Electronics Florists Foundry Logistics Optics Outfitters Printing Robotics Shipping Studio Textiles Tools Vineyards Workshop'.split(
    ' ',
  );
const PLACES =
  'Alder Birch Cedar Copper Falcon Granite Harbour Juniper Lakeside Maple Meadow Northgate Orchard Pebble Quarry Riverside Silver Summit Thornfield Willow'.split(
    ' ',
  );
const TERRITORIES = ['North', 'South', 'East', 'West', 'Overseas'];
const JOBS = ['Owner', 'Office Manager', 'Purchasing', 'Accounts', 'Head of IT'];
const DEVICES = [
  'label printer',
  'card reader',
  'thermostat',
  'web shop',
  'price list',
  'delivery note',
  'login page',
  'scanner',
];
const TROUBLES = [
  'stops after a few minutes',
  'shows last year’s prices',
  'cannot be reached from the warehouse',
  'prints every page twice',
  'reports an error nobody understands',
  'is slower than yesterday',
];
const ANSWERS = [
  'Replaced the cable and tested with the customer on the phone.',
  'A setting had been reset by the update; corrected it.',
  'Showed the customer where to find it. No defect.',
];
const GOODS: readonly (readonly [code: string, name: string, rate: number])[] = [
  ['PAPER-A4', 'Copy paper, 500 sheets', 4.95],
  ['LABEL-62', 'Label roll 62 mm', 11.4],
  ['CABLE-3M', 'Network cable, 3 m', 6.25],
  ['SCAN-H2', 'Hand scanner H2', 189],
  ['SUPPORT-H', 'Support, per hour', 84.5],
  ['TONER-BK', 'Toner, black', 62.99],
  ['DOCK-USB', 'Docking station', 139.9],
];

const CUSTOMERS = 40;
const CONTACTS = 70;
const LEADS = 60;
const TICKETS = 120;
const INVOICES = 60;
const APPOINTMENTS = 45;

/** All sets, in the order in which their links need each other. */
export function demoSets(): readonly DemoSet[] {
  const customers = times(CUSTOMERS, customer);
  const names = customers.map((record) => record.customer_name);
  return [
    {
      doctype: 'Customer',
      key: 'customer_name',
      records: customers,
      picture: { field: 'image', draw: ({ customer_name: name }) => demoLogo(String(name)) },
    },
    { doctype: 'Contact', key: 'email_id', records: times(CONTACTS, (index) => contact(index, names)) },
    { doctype: 'Lead', key: 'email_id', records: times(LEADS, lead) },
    { doctype: 'Ticket', key: 'subject', records: times(TICKETS, (index) => ticket(index, names)) },
    {
      doctype: 'Appointment',
      key: 'subject',
      records: times(APPOINTMENTS, (index) => appointment(index, names)),
    },
    { doctype: 'Sales Invoice', key: 'remarks', records: times(INVOICES, (index) => invoice(index, names)) },
  ];
}

function customer(index: number) {
  const place = pick(PLACES, index);
  const trade = pick(TRADES, index * 7 + Math.floor(index / PLACES.length));
  return {
    customer_name: `${place} ${trade}`,
    customer_type: index % 9 === 0 ? 'Individual' : 'Company',
    industry: trade,
    territory: pick(TERRITORIES, index),
    email_id: `office@${place}-${trade}.example`.toLowerCase(),
    phone: `+49 30 5550${String(100 + index)}`,
    website: `https://www.${place}-${trade}.example`.toLowerCase(),
    credit_limit: (index % 5) * 2500,
  };
}

function person(index: number) {
  const first_name = pick(FIRST_NAMES, index);
  const last_name = pick(LAST_NAMES, index * 3 + Math.floor(index / FIRST_NAMES.length));
  return { first_name, last_name };
}

function contact(index: number, customers: readonly string[]) {
  const { first_name, last_name } = person(index);
  return {
    first_name,
    last_name,
    customer: pick(customers, index),
    designation: pick(JOBS, index),
    is_primary_contact: index < customers.length ? 1 : 0,
    email_id: `${first_name}.${last_name}.${index}@mail.example`.toLowerCase(),
    mobile_no: `+49 170 5550${String(100 + index)}`,
  };
}

function lead(index: number) {
  const { first_name, last_name } = person(index + 11);
  return {
    lead_name: `${first_name} ${last_name}`,
    company_name: `${pick(PLACES, index * 3 + 1)} ${pick(TRADES, index + 5)}`,
    status: pick(['Open', 'Open', 'Replied', 'Qualified', 'Converted', 'Lost'], index),
    source: pick(['Website', 'Referral', 'Event', 'Campaign', 'Cold Call', ''], index * 5),
    expected_value: 500 + ((index * 370) % 9000),
    probability: (index * 15) % 100,
    email_id: `${first_name}.${last_name}.lead${index}@mail.example`.toLowerCase(),
    next_contact_on: day(index * 3),
  };
}

function ticket(index: number, customers: readonly string[]) {
  const { first_name, last_name } = person(index);
  const status = pick(['Open', 'Open', 'Replied', 'Resolved', 'Closed'], index);
  const done = status === 'Resolved' || status === 'Closed';
  return {
    subject: `The ${pick(DEVICES, index)} ${pick(TROUBLES, index * 5 + Math.floor(index / 8))} (case ${1001 + index})`,
    status,
    priority: pick(['Medium', 'Low', 'High', 'Medium', 'Urgent', 'Medium', 'Low'], index),
    raised_by: `${first_name}.${last_name}@mail.example`.toLowerCase(),
    customer: pick(customers, index * 3),
    description: `It began on ${day(index)}. We have already switched it off and on again.`,
    ...(done ? { resolution: pick(ANSWERS, index) } : {}),
  };
}

function appointment(index: number, customers: readonly string[]) {
  const customer = pick(customers, index * 11);
  const kind = pick(['Meeting', 'Call', 'Visit', 'Training'], index * 3);
  // From three weeks ago to three weeks ahead, on weekdays; each seventh one lasts some days.
  const date = weekday(day(100 + index));
  const hour = 8 + ((index * 5) % 9);
  const length = kind === 'Call' ? 0.5 : 1 + (index % 3) / 2;
  const isLong = index % 7 === 3;
  const end = hour + length;
  return {
    subject: `${kind} with ${customer}`,
    kind,
    status:
      index < 18 ? pick(['Done', 'Done', 'Done', 'Cancelled'], index) : pick(['Confirmed', 'Planned'], index),
    starts_on: `${date} ${clock(hour)}`,
    ends_on: isLong ? `${after(date, 2)} ${clock(17)}` : `${date} ${clock(end)}`,
    customer,
  };
}

function clock(hours: number): string {
  return `${String(Math.floor(hours)).padStart(2, '0')}:${hours % 1 === 0 ? '00' : '30'}:00`;
}

function after(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The date, or the Monday after a weekend. */
function weekday(date: string): string {
  const at = new Date(date).getUTCDay();
  return at === 0 ? after(date, 1) : at === 6 ? after(date, 2) : date;
}

function invoice(index: number, customers: readonly string[]) {
  return {
    customer: pick(customers, index * 7),
    posting_date: day(index * 2),
    due_date: day(index * 2 + 30),
    tax_rate: 19,
    remarks: `Order ${5001 + index}`,
    items: times(1 + (index % 4), (line) => {
      const [item_code, item_name, rate] = pick(GOODS, index + line * 2);
      return { item_code, item_name, qty: 1 + ((index + line) % 6), rate };
    }),
    // Two of three are submitted; the rest stay drafts.
    docstatus: index % 3 === 0 ? 0 : 1,
  };
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function pick<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('an empty list has nothing to pick');
  return item;
}

/** A date `offset` days after one four months ago, so that calendars and reports of today have something. */
function day(offset: number): string {
  return after(START, offset);
}

const START = new Date(Date.now() - 120 * 86_400_000).toISOString().slice(0, 10);
