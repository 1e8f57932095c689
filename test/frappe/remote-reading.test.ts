import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { DocumentRows } from '../../src/frappe/remote/document-rows.ts';
import { RemoteError } from '../../src/frappe/remote/remote-error.ts';
import { type RemoteRow, RemoteSite } from '../../src/frappe/remote/remote-site.ts';
import { byModified, byName } from '../../src/frappe/remote/walk.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { useStarted } from '../support/describe-site.ts';
import { type Fault, startFrappeSite } from '../support/frappe-site.ts';

describe('a running Frappe site is read', () => {
  const frappe = useStarted(startFrappeSite);
  const waits: number[] = [];
  const siteWith = (key: string) =>
    new RemoteSite({
      origin: frappe.url,
      key,
      clock: systemClock(),
      random: systemRandom(),
      wait: async (millis) => waits.push(millis) > 0,
    });
  const failure = async (work: Promise<unknown>): Promise<RemoteError> =>
    work.then(
      () => assert.fail('it succeeded'),
      (error) => {
        assert.ok(error instanceof RemoteError, String(error.stack));
        return error;
      },
    );

  beforeEach(() => {
    for (const list of [frappe.faults, frappe.requests, waits]) list.length = 0;
    frappe.denied.clear();
    frappe.tables.clear();
    frappe.tables.set('Note', notes(3));
  });

  const faults: readonly (readonly [string, readonly Fault[], readonly number[]])[] = [
    ['429 with the seconds to wait', [{ status: 429, headers: { 'retry-after': '7' } }], [7_000]],
    ['503 of an upgrade, then 502', [{ status: 503 }, { status: 502 }], [500, 1_000]],
    ['a cut connection', ['cut'], [500]],
    ['a response that breaks off', ['half'], [500]],
  ];
  for (const [name, list, least] of faults) {
    test(`after ${name} the request is sent again`, async () => {
      frappe.faults.push(...list);
      assert.equal((await listNotes(siteWith(frappe.key))).length, 3);
      assert.equal(waits.length, least.length);
      for (const [index, millis] of least.entries()) {
        assert.ok((waits[index] ?? 0) >= millis && (waits[index] ?? 0) <= 1.2 * millis, String(waits));
      }
    });
  }

  test('a site that stays busy is given up after the last attempt', async () => {
    frappe.faults.push(...Array.from({ length: LIMITS.remoteTries }, () => ({ status: 504 })));
    const { failure: kind, message } = await failure(listNotes(siteWith(frappe.key)));
    assert.equal(kind, 'unreachable');
    assert.match(message, /did not answer the list of Note: it answered with 504/);
    assert.equal(frappe.requests.length, LIMITS.remoteTries);
  });

  const refusals: readonly (readonly [string, Fault, string, RegExp])[] = [
    [
      'a server that is no Frappe site',
      { status: 200, body: '<html>hello</html>' },
      'stranger',
      /is not JSON/,
    ],
    [
      'a redirect',
      { status: 301, headers: { location: 'https://erp.example.com/api' } },
      'stranger',
      /redirects to https:\/\/erp\.example\.com: use that address/,
    ],
    [
      'an error in the words of the site, without its traceback',
      { status: 417, body: { exc_type: 'X', exc: '["Traceback"]', exception: 'frappe.X: <i>bad</i> field' } },
      'refused',
      /417, frappe\.X: bad field$/,
    ],
  ];
  for (const [name, fault, kind, words] of refusals) {
    test(`${name} ends the request at once`, async () => {
      frappe.faults.push(fault);
      const error = await failure(listNotes(siteWith(frappe.key)));
      assert.equal(error.failure, kind);
      assert.match(error.message, words);
      assert.equal(frappe.requests.length, 1);
    });
  }

  test('an unknown key, a denied doctype and a missing document are told apart; no message has the key', async () => {
    frappe.denied.add('Note');
    const errors = [
      await failure(listNotes(siteWith('unknown:key'))),
      await failure(listNotes(siteWith(frappe.key))),
      await failure(siteWith(frappe.key).read('Note', 'none')),
    ];
    assert.deepEqual(
      errors.map((error) => error.failure),
      ['credentials', 'denied', 'missing'],
    );
    assert.match(errors[1]?.message ?? '', /No permission for Note/);
    for (const { message } of errors) assert.doesNotMatch(message, /unknown:key|s3cret/);
  });

  test('a walk by name has each document once while others come and go', async () => {
    frappe.tables.set('Note', notes(25));
    const seen: string[] = [];
    for await (const page of byName(siteWith(frappe.key), 'Note', { page: 10 })) {
      seen.push(...namesOf(page));
      if (seen.length === 10) {
        frappe.tables.set('Note', [...notes(25).slice(4), { name: 'zebra', modified: moment(99) }]);
      }
    }
    assert.deepEqual(seen, [...namesOf(notes(25)), 'zebra']);
  });

  test('a walk by change has each document once, however many share a moment', async () => {
    for (const [shared, digits] of [
      [3, ''],
      [10, '.250000'],
      [23, ''],
      [40, '.999999'],
    ] as const) {
      const rows = notes(50).map((row, index) =>
        index >= 5 && index < 5 + shared ? { ...row, modified: `${moment(5).slice(0, 19)}${digits}` } : row,
      );
      frappe.tables.set('Note', rows);
      const seen: string[] = [];
      for await (const page of byModified(siteWith(frappe.key), 'Note', moment(2), { page: 10 })) {
        seen.push(...namesOf(page));
      }
      assert.deepEqual(seen.toSorted(), namesOf(rows).slice(2), `${shared} at ${digits}`);
    }
  });

  test('a document that changes during a walk by change is read again', async () => {
    frappe.tables.set('Note', notes(12));
    const seen: string[] = [];
    for await (const page of byModified(siteWith(frappe.key), 'Note', moment(0), { page: 5 })) {
      if (seen.length === 0) Object.assign(frappe.tables.get('Note')?.[1] ?? {}, { modified: moment(50) });
      seen.push(...namesOf(page));
    }
    assert.deepEqual(
      seen.filter((name) => name === 'note 001'),
      ['note 001', 'note 001'],
    );
    assert.equal(new Set(seen).size, 12);
  });

  test('child rows come with their documents, in order, in many pages or one by one where lists are denied', async () => {
    const documents = notes(7);
    const rows = documents.flatMap(({ name }, index) =>
      Array.from({ length: index }, (_, row) => ({
        ...{ name: `${String(name)}-${row}`, parent: name, parenttype: 'Note', idx: row + 1 },
        parentfield: row % 2 === 0 ? 'seen_by' : 'tagged_by',
      })),
    );
    frappe.tables.set('Note', documents).set('Note Reader', rows.toReversed());
    const shape = {
      doctype: 'Note',
      tables: ['seen_by', 'tagged_by'].map((fieldname) => ({ fieldname, doctype: 'Note Reader' })),
    };
    for (const denied of [[], ['Note Reader']]) {
      for (const one of denied) frappe.denied.add(one);
      const site = siteWith(frappe.key);
      const whole = await new DocumentRows(site).complete(shape, await listNotes(site));
      assert.deepEqual(
        whole.map((document) =>
          shape.tables.map(({ fieldname }) => namesOf((document[fieldname] ?? []) as RemoteRow[])),
        ),
        documents.map(({ name }) =>
          shape.tables.map(({ fieldname }) =>
            namesOf(rows.filter((row) => row.parent === name && row.parentfield === fieldname)),
          ),
        ),
      );
    }
  });

  test('a long list of names is sent as a body', async () => {
    frappe.tables.set('Note', notes(400));
    const rows = new DocumentRows(siteWith(frappe.key));
    const wanted = [...namesOf(notes(400)), 'gone'];
    assert.deepEqual([...(await rows.existing('Note', wanted))].toSorted(), namesOf(notes(400)));
    assert.deepEqual(frappe.requests, ['POST /api/method/frappe.client.get_list']);
  });

  const listNotes = (site: RemoteSite) =>
    site.list({ doctype: 'Note', fields: ['*'], filters: [], orderBy: 'name asc', limit: 500 });
});

function notes(count: number): RemoteRow[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `note ${String(index).padStart(3, '0')}`,
    modified: moment(index),
  }));
}

function moment(second: number): string {
  return `2026-03-01 10:00:${String(second % 60).padStart(2, '0')}.000001`;
}

function namesOf(rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  return rows.map(({ name }) => String(name));
}
