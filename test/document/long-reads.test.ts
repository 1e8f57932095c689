/** Reads of long texts: others go on meanwhile, and `lists.timeout` ends them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { readContext } from '../../src/document/context.ts';
import { countDocuments, listDocuments } from '../../src/document/list/list.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { updateDocument } from '../../src/document/verbs/update.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { countTurns } from '../support/count-turns.ts';
import { describeEitherEngine } from '../support/describe-site.ts';
import { refused } from '../support/errors.ts';
import { type MemorySite, openMemorySite, STAFF } from '../support/memory-site.ts';

const TEXT = 'lorem ipsum '.repeat(Math.ceil((6 * 1024 * 1024) / 12));
const PATIENT = 600_000;
/** Milliseconds: far more than a list of few short texts takes, and far less than one of long texts. */
const IMPATIENT = 500;
const DOCTYPES = [
  { name: 'Page', istable: 1, fields: [{ fieldname: 'text', fieldtype: 'Long Text' }] },
  {
    name: 'Tome',
    fields: [
      { fieldname: 'text', fieldtype: 'Long Text' },
      { fieldname: 'title', fieldtype: 'Data' },
      { fieldname: 'about', fieldtype: 'Link', options: 'Tome' },
      { fieldname: 'pages', fieldtype: 'Table', options: 'Page' },
    ],
  },
  { name: 'Preface', issingle: 1, fields: [{ fieldname: 'text', fieldtype: 'Long Text' }] },
];

/** Each takes a while: what is looked for is as long as may be, and is nowhere. */
const conditions = (field: readonly string[], count: number = LIMITS.filterConditions) =>
  Array.from({ length: count }, (_, at) => [
    ...field,
    'like',
    `%${'_'.repeat(LIMITS.likeLength - 10)}z${at}%`,
  ]);
const FORMS = [
  ['texts', ['text']],
  ['child rows', ['Page', 'text']],
  ['linked documents', ['about.text']],
] as const;

describeEitherEngine('long reads', (engine) => {
  let patient: MemorySite;
  let impatient: MemorySite;
  before(async () => {
    patient = await opened(PATIENT);
    impatient = await opened(IMPATIENT);
  });
  after(() => Promise.all([patient.stop(), impatient.stop()]));

  async function opened(timeout: number): Promise<MemorySite> {
    const lists = { ...DEFAULT_CONFIG.lists, timeout };
    const site = await openMemorySite(engine, { doctypes: DOCTYPES, config: { lists } });
    await site.run(async (ctx) => {
      const { name } = await createDocument(ctx, 'Tome', { text: TEXT, pages: [{ text: TEXT }] });
      await createDocument(ctx, 'Tome', { text: TEXT, about: name });
      await createDocument(ctx, 'Tome', { title: 'short' });
      await updateDocument(ctx, 'Preface', 'Preface', { text: TEXT.slice(0, TEXT.length / 3) });
    });
    return site;
  }

  for (const [what, path] of FORMS) {
    test(`lists.timeout ends a list by conditions on long ${what}, and the next one works`, async () => {
      const ctx = readContext(impatient, STAFF);
      const list = () => listDocuments(ctx, 'Tome', { or_filters: conditions(path) });
      const count = () => countDocuments(ctx, 'Tome', { or_filters: conditions(path) });
      await Promise.all([list, count].map((read) => refused(read(), 'QueryTimeoutError', /took too long/)));
      assert.equal(await countDocuments(ctx, 'Tome', { filters: { title: 'short' } }), 1);
    });
  }

  if (engine === 'sqlite') {
    for (const [what, path] of FORMS) {
      test(`a list by conditions on long ${what} waits for a thread, and other reads do not`, async () => {
        const ended: unknown[] = [];
        const note = (outcome: unknown) => void ended.push(outcome);
        const busy = await opened(PATIENT);
        const endless = sql`with recursive s(i) as (select 1 union all select i + 1 from s)
            select count(*) as "n" from "s" as "_t"`;
        const scans = Array.from({ length: LIMITS.scanThreads }, () =>
          busy.database.reader.get(endless).then(note, note),
        );
        const ctx = readContext(busy, STAFF);
        const list = listDocuments(ctx, 'Tome', { or_filters: conditions(path) }).then(note, note);
        for (let turn = 0; turn < 5; turn += 1) {
          assert.equal((await listDocuments(ctx, 'Tome', { filters: { title: 'short' } })).length, 1);
        }
        assert.deepEqual(ended, [], 'it was read on the event loop');
        await busy.stop();
        await Promise.all([...scans, list]);
      });
    }
  }

  if (engine === 'sqlite') {
    test('a transaction, which holds everything up, reads long texts no longer than lists.timeout', async () => {
      const reading = impatient.run((ctx) =>
        listDocuments(ctx, 'Tome', { or_filters: conditions(['text']) }),
      );
      await refused(reading, 'QueryTimeoutError');
    });
  }

  test('a list of a single lets others go on between its conditions, and lists.timeout ends it', async () => {
    const list = (site: MemorySite, count?: number) =>
      listDocuments(readContext(site, STAFF), 'Preface', { or_filters: conditions(['text'], count) });
    const turns = countTurns();
    assert.deepEqual(await list(patient, 0), [{ name: 'Preface' }]);
    const least = turns.count();
    assert.deepEqual(await list(patient, 10), []);
    turns.stop();
    assert.ok(turns.count() >= least + 8, `${turns.count() - least} turns`);
    await refused(list(impatient), 'QueryTimeoutError');
  });
});
