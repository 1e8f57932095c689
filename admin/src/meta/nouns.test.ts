import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setCatalogue } from '../base/i18n.ts';
import { countOf, nounOf, pluralOf } from './nouns.ts';

test('the name of a doctype is a noun within a sentence', () => {
  assert.equal(nounOf('Sales Invoice'), 'sales invoice');
  assert.equal(nounOf('API Key'), 'API key');
  assert.equal(nounOf('DocType'), 'DocType');
});

test('its plural follows the rules of English', () => {
  const plurals = ['Ticket', 'Sales Invoice', 'Currency', 'Address', 'Box', 'Key', 'Series', 'Sales Person'];
  assert.deepEqual(plurals.map(pluralOf), [
    'tickets',
    'sales invoices',
    'currencies',
    'addresses',
    'boxes',
    'keys',
    'series',
    'sales people',
  ]);
  assert.equal(countOf('Ticket', 1), '1 ticket');
  assert.equal(countOf('Ticket', 1_200), '1,200 tickets');
});

test('other languages count records', (context) => {
  context.after(() => setCatalogue('en', {}));
  setCatalogue('de', { '{count} records': { one: '{count} Datensatz', other: '{count} Datensätze' } });
  assert.equal(countOf('Ticket', 1), '1 Datensatz');
  assert.equal(countOf('Ticket', 2), '2 Datensätze');
  assert.equal(pluralOf('Ticket'), 'Ticket');
});
