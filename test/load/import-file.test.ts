/** `chancery import FILE --doctype`: an import from the command line, which goes on where it was stopped. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND_LINE } from '../../src/access/audit.ts';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { sourceFile } from '../../src/cli/source-file.ts';
import { readLoad } from '../../src/load/data-load.ts';
import { runImport } from '../../src/load/save/run-import.ts';
import { chancery, flagsOf } from '../support/command.ts';
import { describeEither } from '../support/describe-site.ts';

const doctypes = [
  {
    name: 'Part',
    autoname: 'PART-.#####',
    fields: [
      { fieldname: 'code', fieldtype: 'Data', label: 'Code' },
      { fieldname: 'price', fieldtype: 'Currency', label: 'Price' },
      { fieldname: 'above', fieldtype: 'Link', options: 'Part', label: 'Above' },
    ],
    permissions: [{ role: 'Importer', read: 1, write: 1, create: 1, import: 1 }],
  },
];

describeEither('chancery import of a file', { doctypes, users: { importer: ['Importer'] } }, (site) => {
  const path = (name: string) => join(site.site.config.data, name);
  const run = async (name: string, content: string, ...flags: readonly string[]) => {
    await writeFile(path(name), content);
    const words = ['import', path(name), '--doctype', 'Part', ...flags, ...flagsOf(site.site.config)];
    return chancery(site.site.config.data, words);
  };
  const parts = async (
    prefix: string,
  ): Promise<{ readonly code: string; readonly price: number; readonly owner: string }[]> => {
    const filters = `[["code","like","${prefix}%25"]]`;
    const fields = '["code","price","owner"]';
    return site.did('GET', `Part?fields=${fields}&filters=${filters}&order_by=code asc&limit=0`);
  };

  test('it says what columns fill, stores the good rows, and ends with 1 when some failed', async () => {
    const ran = await run(
      'a.csv',
      'Code;Cost\na1;1,50\na2;much\n',
      '--map',
      'Cost=price',
      '--user',
      'importer@example.com',
    );
    assert.deepEqual([ran.code, ran.stderr], [1, '']);
    assert.match(ran.stdout, /^Code: code\nCost: price\nLOAD-\d+: 1 inserted, 1 failed\.\n/);
    assert.match(ran.stdout, /^Row 3, Part 3, price, "much": Price must be a number/m);
    assert.deepEqual(
      (await parts('a')).map(({ price, owner }) => [price, owner]),
      [[1.5, 'importer@example.com']],
    );
  });

  test('all or none, dry runs, and refused calls', async () => {
    const bad = 'Code,Price\nb1,1\nb2,x\n';
    const none = await run('b.csv', bad, '--all-or-none');
    assert.equal(none.code, 1);
    assert.match(none.stdout, /Nothing was stored, because 1 records have problems\./);
    const dry = await run('b.csv', 'Code,Price\nb1,1\n', '--dry-run');
    assert.deepEqual([dry.code, dry.stderr], [0, '']);
    assert.deepEqual(await parts('b'), []);
    const refused = [
      [['--skip-existing'], 2, '--skip-existing has no meaning with --doctype\n'],
      [['--locale', 'de'], 2, '--locale is ymd, dmy or mdy, and the decimal mark: dmy, or mdy.\n'],
      [
        ['--no-hooks', '--user', 'importer@example.com'],
        1,
        'Only a System Manager may import without hooks or webhooks\n',
      ],
      [['--map', 'Code=nobody'], 1, 'Column Code cannot fill nobody: there is no such field\n'],
      [['--map', 'Cost=price;Note='], 1, 'The file has no column Cost. Its columns: Code, Price\n'],
    ] as const;
    const { data } = site.site.config;
    const alone = await chancery(data, ['import', path('b.csv'), ...flagsOf(site.site.config)]);
    assert.deepEqual([alone.code, /is not NDJSON: --doctype <doctype>/.test(alone.stderr)], [2, true]);
    for (const [flags, code, stderr] of refused) {
      const ran = await run('b.csv', bad, ...flags);
      assert.deepEqual([ran.code, ran.stderr], [code, stderr]);
    }
  });

  test('a stopped import goes on: nothing twice, nothing missing', async () => {
    const count = 300;
    const content = `Code,Price\n${Array.from({ length: count }, (_, at) => `c${at},${at}\n`).join('')}`;
    await writeFile(path('c.csv'), content);
    const ran = await run('c.csv', content, '--dry-run');
    const name = /LOAD-\d+/.exec(ran.stdout)?.[0] ?? '';
    await site.site.database.transaction((db) =>
      db.run({ text: `update "Data Load" set "status" = 'Running' where "name" = '${name}'`, values: [] }),
    );
    const file = await sourceFile(path('c.csv'));
    const abort = new AbortController();
    const first = { site: site.site, file, user: ADMINISTRATOR, origin: COMMAND_LINE };
    const load = () => readLoad(site.site.database.reader, name);
    await runImport({ ...first, load: await load(), signal: abort.signal, onProgress: () => abort.abort() });
    const some = (await parts('c')).length;
    assert.ok(some > 0 && some < count, String(some));
    // Two runs at once share the rest.
    await Promise.all([
      runImport({ ...first, load: await load() }),
      runImport({ ...first, load: await load() }),
    ]);
    const all = await parts('c');
    assert.equal(all.length, count);
    assert.equal(new Set(all.map(({ code }) => code)).size, count);
    const undo = await chancery(site.site.config.data, [
      'import',
      'undo',
      name,
      ...flagsOf(site.site.config),
    ]);
    assert.match(undo.stdout, /300 records undone, 0 kept/);
    assert.deepEqual(await parts('c'), []);
  });
});
