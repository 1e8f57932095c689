/** The `idx` that clients send: of the rows of a child table, and of documents. Answers are those of Frappe 15. */

import { describeEither } from '../support/describe-site.ts';
import { scenario } from '../support/scenario.ts';

const DOCTYPES = [
  {
    name: 'Order Line',
    istable: 1,
    fields: [
      { fieldname: 'item', reqd: 1 },
      { fieldname: 'qty', fieldtype: 'Int' },
    ],
  },
  { name: 'Order', fields: [{ fieldname: 'lines', fieldtype: 'Table', options: 'Order Line' }] },
];
const rows = (...sent: unknown[][]) =>
  sent.map(([item, idx]) => (idx === undefined ? { item } : { item, idx }));
const stored = (...items: string[]) => ({
  data: { lines: items.map((item, at) => ({ item, idx: at + 1 })) },
});
const made = 'POST /api/resource/Order';
const again = (body: { data: { name: string } }) => `PUT /api/resource/Order/${body.data.name}`;

describeEither('idx', { doctypes: DOCTYPES }, (site) => {
  scenario(site, [
    {
      title: 'rows follow their idx',
      request: made,
      body: { lines: rows(['b', 2], ['a', 1]) },
      expect: stored('a', 'b'),
    },
    {
      request: again,
      body: { lines: rows(['x', 30], ['y', '20'], ['z', 10]) },
      expect: stored('z', 'y', 'x'),
    },
    {
      title: 'equal idx keep the order of the array',
      request: made,
      body: { lines: rows(['b', 1], ['a', 1]) },
      expect: stored('b', 'a'),
    },
    {
      title: 'a row without idx leaves the order of the array',
      request: made,
      body: { lines: rows(['b', 2], ['a']) },
      expect: stored('b', 'a'),
    },
    {
      title: 'so does one with an idx that is none',
      request: made,
      body: { lines: rows(['c', 3], ['b', 'x'], ['a', 0]) },
      expect: stored('c', 'b', 'a'),
    },
    {
      title: 'errors and conditions are about the row that has them',
      request: made,
      body: { lines: [{ item: 'b', idx: 2 }, { idx: 1 }] },
      error: 'MandatoryError',
      says: /Row #1: Value missing for: item/i,
    },
    { title: 'the idx of a document is kept', request: made, body: { idx: 7 }, expect: { data: { idx: 7 } } },
    { request: again, body: { lines: [] }, expect: { data: { idx: 7 } } },
    { request: again, body: { idx: 'x' }, expect: { data: { idx: 7 } } },
    { request: again, body: { idx: 2 ** 31 }, expect: { data: { idx: 7 } } },
    { request: again, body: { idx: 3 }, expect: { data: { idx: 3 } } },
  ]);
});
