/** What a document holds where nobody chose a value, as Frappe 15 answers it. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { scenario } from '../support/scenario.ts';

const STAGE = { fieldname: 'stage', fieldtype: 'Select', options: '\nOpen\nDone' };
const FIELDS = [
  STAGE,
  { fieldname: 'prio', fieldtype: 'Select', options: 'Low\nHigh' },
  { fieldname: 'given', fieldtype: 'Select', options: '\nYes\nNo', default: 'No' },
  { fieldname: 'free', fieldtype: 'Select' },
  { fieldname: 'spent', fieldtype: 'Duration' },
];
const list = (query: string) => ({ request: `GET /api/resource/Job?${query}` });
const filtered = (filters: unknown) =>
  list(`filters=${encodeURIComponent(JSON.stringify(filters))}&order_by=name asc`);

describeEither('unset values', {}, (site) => {
  before(async () => {
    await site.make('DocType', { name: 'Job', autoname: 'Prompt', fields: FIELDS });
    await site.make('Job', { name: 'a' });
    await site.make('Job', { name: 'b', stage: '', spent: 0 });
    await site.make('Job', { name: 'c', stage: 'Open', spent: 90 });
  });

  scenario(site, [
    {
      title: 'a Select with a blank first option is blank, one without options and a Duration are absent',
      request: 'GET /api/resource/Job/a',
      expect: { data: { stage: '', prio: 'Low', given: 'No', free: undefined, spent: undefined } },
    },
    {
      title: 'documents with nothing chosen form one group, whether a client sent the blank or not',
      ...list('fields=["stage","count(name) as n"]&group_by=stage&order_by=stage asc'),
      expect: {
        data: [
          { stage: '', n: 2 },
          { stage: 'Open', n: 1 },
        ],
      },
    },
    {
      title: 'is not set finds both',
      ...filtered([['stage', 'is', 'not set']]),
      expect: { data: [{ name: 'a' }, { name: 'b' }] },
    },
    {
      title: 'an unset Duration is not a Duration of 0',
      ...filtered([['spent', 'is', 'not set']]),
      expect: { data: [{ name: 'a' }] },
    },
    { ...filtered([['spent', 'is', 'set']]), expect: { data: [{ name: 'b' }, { name: 'c' }] } },
    { ...filtered([['spent', '=', 0]]), expect: { data: [{ name: 'b' }] } },
    {
      title: 'null unsets both',
      request: 'PUT /api/resource/Job/c',
      body: { stage: null, spent: null },
      expect: { data: { stage: '', spent: undefined } },
    },
    { ...filtered([['spent', 'is', 'not set']]), expect: { data: [{ name: 'a' }, { name: 'c' }] } },
  ]);

  test('a Select that becomes unique stores nothing for nothing chosen', async () => {
    await site.did('PUT', 'DocType/Job', { fields: [{ ...STAGE, unique: 1 }, ...FIELDS.slice(1)] });
    assert.equal((await site.did('GET', 'Job/a'))['stage'], undefined);
    assert.equal((await site.make('Job', { name: 'd' }))['stage'], undefined);
  });
});
