import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../kernel/errors.ts';
import { parseDoctype } from './parse-doctype.ts';
import { buildRegistry } from './registry.ts';

const page = parseDoctype({
  name: 'Page',
  istable: 1,
  fields: [{ fieldname: 'author', fieldtype: 'Link', options: 'Author' }],
});
const author = parseDoctype({ name: 'Author', fields: [] });
const book = parseDoctype({
  name: 'Book',
  fields: [
    { fieldname: 'author', fieldtype: 'Link', options: 'Author' },
    { fieldname: 'pages', fieldtype: 'Table', options: 'Page' },
    { fieldname: 'kind', fieldtype: 'Data' },
    { fieldname: 'about', fieldtype: 'Dynamic Link', options: 'kind' },
  ],
});
const registry = buildRegistry([page, author, book], 7);

test('doctypes are found by their exact name', () => {
  assert.equal(registry.version, 7);
  assert.equal(registry.get('Book'), book);
  assert.equal(registry.find('book'), undefined);
  assert.throws(
    () => registry.get('__proto__'),
    (error) => error instanceof ServiceError && error.status === 404,
  );
});

test('links to a doctype include those in child tables', () => {
  const links = registry.linksTo('Author').map(({ doctype, field }) => `${doctype.name}.${field.fieldname}`);
  assert.deepEqual(links, ['Page.author', 'Book.author']);
  assert.deepEqual(registry.linksTo('constructor'), []);
});

test('the registry knows parents of child doctypes, and dynamic links', () => {
  assert.deepEqual(
    registry.parentsOf('Page').map(({ doctype }) => doctype.name),
    ['Book'],
  );
  assert.deepEqual(
    registry.dynamicLinks().map(({ field }) => field.fieldname),
    ['about'],
  );
});

test('two names that differ in case are refused', () => {
  assert.throws(
    () => buildRegistry([book, parseDoctype({ name: 'BOOK', fields: [] })], 1),
    (error) => error instanceof ServiceError && error.type === 'NameError',
  );
});
