import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '../../src/document/document.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { describeEither } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { memorySite } from '../support/memory-site.ts';

const READING = {
  name: 'Reading',
  istable: 1,
  fields: [{ fieldname: 'value', label: 'Value', fieldtype: 'Float', reqd: 1 }],
};

const SURVEY = {
  name: 'Survey',
  fields: [
    { fieldname: 'height', label: 'Height', fieldtype: 'Float', reqd: 1 },
    { fieldname: 'copies', label: 'Copies', fieldtype: 'Int', reqd: 1, default: '0' },
    { fieldname: 'done', label: 'Done', fieldtype: 'Check', reqd: 1 },
    { fieldname: 'sum', label: 'Sum', fieldtype: 'Currency', reqd: 1, read_only: 1 },
    { fieldname: 'readings', label: 'Readings', fieldtype: 'Table', options: 'Reading' },
  ],
};

describeEither('required numbers', memorySite({ doctypes: [READING, SURVEY] }), (site) => {
  const create = (fields: Record<string, unknown>) =>
    site.run((ctx) => createDocument(ctx, 'Survey', fields));

  test('not given is missing, also in rows; 0 is a value', async () => {
    const error = await refused(create({ readings: [{}, { value: 0 }, { value: '' }] }), 'MandatoryError');
    assert.deepEqual(error.details.messages, [
      'Error: Value missing for Survey: Height',
      'Error: Reading Row #1: Value missing for: Value',
      'Error: Reading Row #3: Value missing for: Value',
    ]);
    const made = await create({ height: '0', readings: [{ value: 0 }] });
    assert.deepEqual([made['height'], made['copies'], made['done'], made['sum']], [0, 0, 0, 0]);
  });

  test('an update may leave them out, and may not clear them', async () => {
    const made = await create({ height: 0 });
    const update = (fields: Record<string, unknown>) =>
      site.run((ctx) => updateDocument(ctx, 'Survey', made.name, fields));
    assert.equal(rowsOf(await update({ readings: [{ value: 2 }] }), 'readings').length, 1);
    await refused(update({ height: null }), 'MandatoryError');
    await refused(update({ readings: [{ idx: 1 }] }), 'MandatoryError');
  });
});
