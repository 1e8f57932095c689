/** Nobody learns what a field holds that they may not read, nor by any use of it that it is there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIST_PARAMETERS, PAGING_PARAMETERS } from '../../src/query/list-query.ts';
import { TREE_OPERATORS } from '../../src/query/tree-test.ts';
import { describeEitherEngine, useStarted } from '../support/describe-site.ts';
import {
  FIELD_ARGUMENTS,
  FIELDS,
  LIST_DOORS,
  LIST_USES,
  NO_FIELD,
  PASSWORD,
  USE_OF,
} from './oracle-fields.ts';
import { LINKED, type OracleSite, shape, startOracle } from './oracle-site.ts';

/** Methods that are asked about one document and answer about others. */
const REVERSE = [
  'frappe.desk.form.load.getdoc',
  'chancery.linked_documents',
  'frappe.desk.form.linked_with.get',
  'frappe.client.is_document_amended',
  'frappe.client.get_doc_permissions',
  'chancery.explain_permission',
];

/** Trees whose parents Ann may not see, asked by their names and by links to them. */
const TREE_FILTERS = [
  ['Place', 'name', 'l-x'],
  ['Place', 'name', 'l-low'],
  ['Person', 'place', 'l-x'],
  ['Person', 'place', 'l-low'],
] as const;

test('every parameter of lists is tried, or names no field', () => {
  const known = [...Object.keys(LIST_USES), ...NO_FIELD].sort();
  assert.deepEqual(known, [...LIST_PARAMETERS, ...PAGING_PARAMETERS].sort());
  for (const parameter of Object.values(USE_OF)) assert.ok(LIST_USES[parameter], parameter);
});

describeEitherEngine('hidden fields', (engine) => {
  const oracle = useStarted(() => startOracle(engine));

  /** The same for both; what `~` could be told from, by itself. */
  async function same(
    use: string,
    [hidden, unknown]: readonly [string, string],
    of: (path: string) => Parameters<OracleSite['ask']>[0],
  ): Promise<string> {
    const seen = shape(await oracle.ask(of(hidden)), hidden);
    const missing = shape(await oracle.ask(of(unknown)), unknown);
    const plain = (text: string, path: string) =>
      text
        .replaceAll(path.replaceAll('`', '').split('.').at(-1) ?? '', '~')
        .replaceAll(path.split('.')[0] ?? '', '~');
    assert.equal(plain(seen, hidden), plain(missing, unknown), `${use} of ${hidden}`);
    assert.ok(!seen.startsWith('5'), seen);
    return seen;
  }

  test('every use of every kind of hidden field is answered as for one that there is not', async () => {
    await oracle.change('a');
    for (const paths of Object.values(FIELDS)) {
      for (const [door, ask] of Object.entries(LIST_DOORS)) {
        for (const [parameter, uses] of Object.entries(LIST_USES)) {
          for (const use of uses) await same(`${parameter} at ${door}`, paths, (path) => ask(use(path)));
        }
      }
      for (const [what, ask] of Object.entries(FIELD_ARGUMENTS)) await same(what, paths, ask);
    }
  });

  test('a Password is compared, ordered, grouped and counted by no one', async () => {
    for (const [door, ask] of Object.entries(LIST_DOORS)) {
      for (const parameter of ['filters', 'or_filters', 'order_by', 'group_by', 'expand']) {
        for (const use of LIST_USES[parameter] ?? [])
          await same(`${parameter} at ${door}`, PASSWORD, (path) => ask(use(path)));
      }
    }
    const calls = (LIST_USES['fields'] ?? []).slice(4);
    for (const use of calls)
      await same(
        'aggregate',
        PASSWORD,
        (path) => LIST_DOORS['frappe.client.get_list']?.(use(path)) ?? never(),
      );
  });

  test('the mask of a Password says neither how long it is nor what', async () => {
    const fields = encodeURIComponent('["pin"]');
    const list = await oracle.ask({ verb: 'GET', path: `/api/resource/Person?fields=${fields}` });
    const [one, other] = list.body.data;
    assert.deepEqual(one, other);
    const [north, second] = await Promise.all(
      ['p-north', 'p-other'].map((name) => oracle.ask({ verb: 'GET', path: `/api/resource/Person/${name}` })),
    );
    assert.equal(north?.body.data.pin, second?.body.data.pin);
  });

  test('what Ann is answered is the same whatever the values are that she may not see', async () => {
    const asked = [
      ...Object.values(LIST_DOORS).flatMap((ask) => [
        ask({}),
        ask({ fields: ['*'] }),
        ask({ fields: ['*'], expand: ['region', 'boss'] }),
        ask({ fields: ['name', 'rows.note', 'region.title', 'rows'] }),
        ask({ fields: ['count(name) as n', 'region'], group_by: 'region' }),
        ask({ txt: '987654' }),
        ask({ txt: 'another' }),
        ask({ txt: LINKED[0] }),
        ask({ filters: [['name', 'descendants of', 'l-x']] }),
        ask({ filters: [['place', 'ancestors of', 'l-low']] }),
      ]),
      ...[
        'Person/p-north',
        'Region/n-north',
        'Person/p-south',
        'Account/a-first',
        'Paper/x-other',
        'Place/l-low',
        ...LINKED.map((name) => `Person/${name}`),
      ].flatMap((path) => {
        const [doctype, name] = path.split('/');
        const named = `doctype=${doctype}&name=${name}&docname=${name}`;
        return [
          { verb: 'GET', path: `/api/resource/${path}` },
          { verb: 'GET', path: `/api/v2/document/${path}?include=comments,versions,attachments,shares` },
          { verb: 'GET', path: `/api/v2/document/${path}/copy` },
          ...REVERSE.map((method) => ({ verb: 'GET', path: `/api/method/${method}?${named}` })),
        ];
      }),
      ...Object.keys(TREE_OPERATORS).flatMap((operator) => [
        ...TREE_FILTERS.map(([doctype, fieldname, node]) => ({
          verb: 'GET',
          path: `/api/resource/${doctype}?filters=${encodeURIComponent(JSON.stringify([[fieldname, operator, node]]))}`,
        })),
      ]),
      ...[
        'Version',
        'Comment',
        'File',
        'Account',
        'Paper',
        'Person%20Row?parent=Person',
        'User',
        'DocType',
      ].map((doctype) => ({
        verb: 'GET',
        path: `/api/resource/${doctype}${doctype.includes('?') ? '&' : '?'}fields=["*"]`,
      })),
      { verb: 'GET', path: '/api/method/frappe.desk.form.load.getdoctype?doctype=Person' },
      { verb: 'GET', path: '/api/v2/doctype/Person/meta' },
      { verb: 'GET', path: '/api/openapi.json' },
    ];
    const answers: string[][] = [];
    for (const world of ['a', 'b'] as const) {
      await oracle.change(world);
      const given: string[] = [];
      for (const one of asked) {
        const reply = await oracle.ask(one);
        given.push(`${reply.headers.get('etag')} ${shape(reply, '~')}`);
      }
      answers.push(given);
    }
    for (const [index, one] of asked.entries()) {
      assert.equal(answers[0]?.[index], answers[1]?.[index], `${one.verb} ${one.path}`);
    }
    const all = (answers[1] ?? []).join('\n');
    assert.match(all, /Person p-north/);
    assert.doesNotMatch(all, /987654|another value/);
  });
});

function never(): never {
  throw new Error('there is no such door');
}
