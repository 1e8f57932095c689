import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { currentCustoms, setCustoms } from '../base/format.ts';
import { currencyOf } from './currency.ts';
import { formatValue } from './field-values.ts';
import { makeField } from './standard-fields.ts';

const usual = currentCustoms();
const inSite = (currency: string) => setCustoms({ ...usual, currency });

afterEach(() => setCustoms(usual));

test('an amount has the currency of the field that its options name', () => {
  inSite('EUR');
  const ask = (fieldname: string) => ({ currency: 'CHF', other: '' })[fieldname];
  assert.equal(currencyOf({ options: 'currency' }, ask), 'CHF');
  assert.equal(
    currencyOf({ options: 'other' }, ask),
    'EUR',
    'an empty field leaves the currency of the site',
  );
  assert.equal(currencyOf({ options: 'USD' }), 'USD', 'options may be a code');
  assert.equal(currencyOf({ options: '' }), 'EUR');
});

test('a sum over documents with currencies of their own has none', () => {
  inSite('EUR');
  assert.equal(currencyOf({ options: 'currency' }), '');
});

test('a site without a currency shows numbers', () => {
  const field = makeField({ fieldname: 'total', fieldtype: 'Currency' });
  assert.equal(formatValue(field, 3), '3.00');
  inSite('EUR');
  assert.equal(formatValue(field, 3), '€3.00');
});
