/** The plan of an import says what comes, what stays behind, what changes, and what will not run. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { run } from '../../src/cli/cli.ts';
import { DUMPS, makeSqlite } from './support/databases.ts';
import { siteTables } from './support/site.ts';

const directory = mkdtempSync(join(tmpdir(), 'chancery-plan-'));
after(() => rm(directory, { recursive: true, force: true }));

async function plan(path: string, ...flags: string[]): Promise<string> {
  let text = '';
  const output = {
    stdout: { write: (part: string) => (text += part) },
    stderr: { write: (part: string) => (text += part) },
  };
  assert.equal(await run(['import', 'frappe', path, '--plan', ...flags], output), 0, text);
  return text;
}

/** `doctype.field kind count` of each change. */
function changesOf(json: string): string[] {
  const { changes } = JSON.parse(json) as {
    changes: { doctype: string; field: string | null; kind: string; count: number }[];
  };
  return changes.map(({ doctype, field, kind, count }) => `${doctype}.${field} ${kind} ${count}`).sort();
}

/** What every database has. */
const COMMON = [
  'Bottle Label.stamp unknown column 1',
  'Customer.fax unknown column 1',
  'Customer.null long name 1',
  'Sales Invoice Item.null row without parent 1',
  'Sales Invoice.party link to a doctype left behind 1',
];

test('the plan of a MariaDB dump finds every trap', async () => {
  const found = changesOf(await plan(DUMPS['mariadb-dump'], '--json'));
  const wanted = [
    ...COMMON,
    'Customer.credit_limit decimal beyond a double 1',
    'Customer.renewal date of zeros 1',
    'Customer.since date of zeros 1',
    'Customer.territory broken link 1',
    'Customer.territory link differs in case 2',
    'Sales Invoice.customer link differs in case 1',
  ];
  assert.deepEqual(found, wanted.sort());
});

test('PostgreSQL compares names exactly, so a link that differs in case is broken there', async () => {
  const wanted = [
    ...COMMON,
    'Customer.credit_limit decimal beyond a double 1',
    'Customer.territory broken link 3',
    'Sales Invoice.customer broken link 1',
  ];
  assert.deepEqual(changesOf(await plan(DUMPS.pg_dump, '--json')), wanted.sort());
  assert.deepEqual(changesOf(await plan(DUMPS['pg_dump --inserts'], '--json')), wanted);
});

test('the plan of an SQLite site counts the same rows', async () => {
  const path = join(directory, 'shop.db');
  makeSqlite(path, siteTables());
  const comes = (json: string) => (JSON.parse(json) as { comes: unknown }).comes;
  const found = await plan(path, '--json');
  assert.deepEqual(comes(found), comes(await plan(DUMPS['mariadb-dump by rows'], '--json')));
  assert.ok(changesOf(found).includes('Sales Invoice Item.null row without parent 1'));
});

test('the text begins with what will not run', async () => {
  const lines = (await plan(DUMPS['mariadb-dump'])).split('\n');
  assert.deepEqual(lines.slice(0, 9), [
    'Frappe 15.90.0 on mariadb, with frappe, shopkeeper',
    'Times are in Europe/Zurich: the setting timeZone of this server must be the same',
    '',
    'Will not run here',
    '  5 Python controllers of the app frappe: Client Script, Error Log, Server Script, ToDo, User',
    '  5 Python controllers of the app shopkeeper: Customer, Sales Invoice, Selling Settings, Stock Tick, Territory',
    '  1 Server Script: Check credit',
    '  1 Client Script: Customer-Form',
    '  Their documents come where they have a table; no code of the old site runs.',
  ]);
  assert.ok(lines.includes('  tabForgotten Thing: 1 (there is no DocType of this name)'));
  assert.ok(lines.includes('  1 Custom Field of User, which is built in, stay behind: User-phone'));
  assert.ok(lines.includes('  Customer: Field represents: there is no DocType Company; it holds text'));
});
