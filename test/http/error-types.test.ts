/** The types of errors, as Frappe 15 names them: each a kind of ValidationError, with its status. */
import { describe } from 'node:test';
import { describeEither } from '../support/describe-site.ts';
import { type Row, scenario } from '../support/scenario.ts';

const DATA = { fieldname: 'title', fieldtype: 'Data' };

const DOCTYPES = [
  { name: 'Person', fields: [{ fieldname: 'full_name', fieldtype: 'Data', options: 'Name' }] },
  {
    name: 'Serial',
    autoname: 'naming_series:',
    fields: [{ fieldname: 'naming_series', fieldtype: 'Select', options: 'A-.####' }],
  },
  { name: 'Place', is_tree: 1, autoname: 'prompt', fields: [DATA] },
];

/** A DocType with these fields is refused. */
const definition = (title: string, error: string, ...fields: readonly object[]): Row => ({
  title,
  request: 'POST /api/resource/DocType',
  body: { name: 'Odd', custom: 1, fields },
  error,
});

describeEither('types of errors', { doctypes: DOCTYPES }, (site) => {
  describe('of documents', () =>
    scenario(site, [
      {
        title: 'a name of a person with special characters',
        request: 'POST /api/resource/Person',
        body: { full_name: 'Jane@Roe' },
        error: 'InvalidNameError',
      },
      {
        title: 'a series with special characters',
        request: 'POST /api/resource/Serial',
        body: { naming_series: 'A@.####' },
        error: 'InvalidNamingSeriesError',
      },
      {
        title: 'the deletion of a node with children',
        request: 'POST /api/resource/Place',
        body: { name: 'World', is_group: 1 },
      },
      { request: 'POST /api/resource/Place', body: { name: 'Europe', parent_place: 'World' } },
      { request: 'DELETE /api/resource/Place/World', error: 'NestedSetChildExistsError' },
      {
        title: 'a user without a valid address',
        request: 'POST /api/resource/User',
        body: { email: 'nobody', first_name: 'Nobody' },
        error: 'InvalidEmailAddressError',
      },
      {
        title: 'an upload into a missing folder',
        request: 'POST /api/resource/File',
        body: { file_name: 'a.txt', content: 'a', folder: 'Home/Nowhere' },
        error: 'LinkValidationError',
      },
    ]));

  describe('of definitions', () =>
    scenario(site, [
      definition('the same fieldname twice', 'UniqueFieldnameError', DATA, DATA),
      definition('a Link without options', 'DoctypeLinkError', { fieldname: 'a', fieldtype: 'Link' }),
      definition('a Link to a missing doctype', 'WrongOptionsDoctypeLinkError', {
        fieldname: 'a',
        fieldtype: 'Link',
        options: 'Nothing',
      }),
      definition('a reserved fieldname', 'InvalidFieldNameError', { fieldname: 'owner', fieldtype: 'Data' }),
      definition('a hidden mandatory field without default', 'HiddenAndMandatoryWithoutDefaultError', {
        ...DATA,
        hidden: 1,
        reqd: 1,
      }),
      definition('a unique Text', 'NonUniqueError', { fieldname: 'a', fieldtype: 'Text', unique: 1 }),
      definition('a blank in a fieldname', 'InvalidColumnName', { fieldname: 'a b', fieldtype: 'Data' }),
      definition(
        'problems of several types',
        'ValidationError',
        { fieldname: 'a b', fieldtype: 'Data' },
        { fieldname: 'c', fieldtype: 'Link' },
      ),
    ]));
});
