/** `chancery files restore`: bytes in quarantine become Files again, and nothing is overwritten. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { ADMINISTRATOR } from '../../src/access/user.ts';
import { restoreStoredFiles } from '../../src/cli/files-restore.ts';
import { type Config, DEFAULT_CONFIG } from '../../src/config/config.ts';
import { sql } from '../../src/db/sql.ts';
import { createDocument } from '../../src/document/verbs/create.ts';
import { deleteDocument } from '../../src/document/verbs/delete.ts';
import { unitOfWork } from '../../src/document/write/unit-of-work.ts';
import { checkFiles } from '../../src/file/check-files.ts';
import { collectOrphans } from '../../src/file/collect-orphans.ts';
import { listQuarantined, type Quarantined } from '../../src/file/restore-quarantined.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { type OpenSite, openSite } from '../../src/site/start/open-site.ts';
import { startStages, undos } from '../support/bound-site.ts';
import { servedText, storeText } from '../support/kept-files.ts';
import { NO_S3, newBucket } from '../support/s3.ts';
import type { Engine } from '../support/site.ts';
import { siteDatabase } from '../support/site-database.ts';
import { until } from '../support/until.ts';

const stages = startStages();

async function start(engine: Engine, on: 'disk' | 's3'): Promise<OpenSite> {
  const data = await mkdtemp(join(tmpdir(), 'chancery-restore-'));
  undos.push(() => rm(data, { recursive: true, force: true }));
  const database = await siteDatabase(engine, data);
  undos.push(() => database.drop());
  const files = on === 's3' ? await newBucket(stages.s3()) : null;
  const site = await openSite(
    { ...DEFAULT_CONFIG, apps: [], data, database: database.url, files },
    { apps: [] },
  );
  undos.push(() => site.close());
  return site;
}

async function run(config: Config, word: string | null, flags: Record<string, true> = {}) {
  const lines: string[] = [];
  const words = ['restore', ...(word === null ? [] : [word])];
  const print = (line: string) => void lines.push(line);
  const code = await restoreStoredFiles({ config, words, flags, sources: new Map(), warnings: [], print });
  return { code, lines };
}

const doing = <T>(site: OpenSite, work: Parameters<typeof unitOfWork<T>>[2]) =>
  unitOfWork(site, ADMINISTRATOR, work);

const store = (site: OpenSite, name: string, text: string, fields: Record<string, unknown> = {}) =>
  doing(site, (ctx) =>
    createDocument(ctx, 'File', { file_name: name, content: text, is_private: 1, ...fields }),
  );

/** Deletes a document, and waits until the bytes of its files are in quarantine. */
async function discard(site: OpenSite, name: unknown, doctype = 'File'): Promise<void> {
  await doing(site, (ctx) => deleteDocument(ctx, doctype, String(name)));
  const { quarantine } = site.storage;
  if (!quarantine) return;
  await until(async () => {
    for (const { storageKey } of await quarantined(site))
      if (await site.storage.stat(storageKey)) return false;
    return true;
  });
}

async function quarantined(site: OpenSite): Promise<Quarantined[]> {
  const found: Quarantined[] = [];
  for await (const object of listQuarantined(site.database.reader, site)) found.push(object);
  return found;
}

const fileOf = async (site: OpenSite, name: string) => {
  const rows = await site.database.reader.all(
    sql`select name, owner, file_url, is_private, folder, attached_to_doctype, attached_to_name
      from "File" where file_name = ${name} order by creation`,
  );
  return rows.at(-1) ?? assert.fail(`no File ${name}`);
};

const inRole = (name: string) => ({ attached_to_doctype: 'Role', attached_to_name: name });

interface Case {
  readonly name: string;
  /** Puts something into quarantine; resolves to the word for the command. */
  readonly bring: (site: OpenSite) => Promise<string>;
  readonly code: 0 | 1;
  readonly says: RegExp;
  readonly afterwards?: (site: OpenSite) => Promise<void>;
}

const CASES: readonly Case[] = [
  {
    name: 'by the name of its File, with its url, folder and owner',
    async bring(site) {
      await doing(site, (ctx) =>
        createDocument(ctx, 'File', { file_name: 'Plans', is_folder: 1, folder: 'Home' }),
      );
      await doing(site, (ctx) =>
        createDocument(ctx, 'User', { email: 'sam@example.com', first_name: 'Sam' }),
      );
      const file = await store(site, 'one.txt', 'one', { folder: 'Home/Plans' });
      await site.database.transaction((db) =>
        db.run(sql`update "File" set owner = 'sam@example.com' where name = ${file.name}`),
      );
      await discard(site, file.name);
      return file.name;
    },
    code: 0,
    says: /^one\.txt → \/private\/files\/one\.txt \(File \w+\)$/,
    async afterwards(site) {
      const { owner, folder, is_private, file_url } = await fileOf(site, 'one.txt');
      assert.deepEqual([owner, folder, is_private], ['sam@example.com', 'Home/Plans', 1]);
      assert.equal(await servedText(site, file_url), 'one');
    },
  },
  {
    name: 'by its file name, at another url when that is taken',
    async bring(site) {
      await discard(site, (await store(site, 'two.txt', 'two', { is_private: 0 })).name);
      await store(site, 'two.txt', 'another two', { is_private: 0 });
      return 'two.txt';
    },
    code: 0,
    says: /^two\.txt → \/files\/two-[0-9a-f]{6}\.txt /,
    async afterwards(site) {
      assert.equal(await servedText(site, '/files/two.txt'), 'another two');
      assert.equal(await servedText(site, (await fileOf(site, 'two.txt'))['file_url']), 'two');
    },
  },
  {
    name: 'by the beginning of its SHA-256, attached to its document',
    async bring(site) {
      await doing(site, (ctx) => createDocument(ctx, 'Role', { role_name: 'Kept' }));
      await discard(site, (await store(site, 'three.txt', 'three', inRole('Kept'))).name);
      return hash('sha256', 'three').slice(0, 12);
    },
    code: 0,
    says: /^three\.txt → \/private\/files\/three\.txt \(File \w+ of Role Kept\)$/,
    async afterwards(site) {
      assert.equal((await fileOf(site, 'three.txt'))['attached_to_name'], 'Kept');
    },
  },
  {
    name: 'without its document when that is gone',
    async bring(site) {
      await doing(site, (ctx) => createDocument(ctx, 'Role', { role_name: 'Gone' }));
      await store(site, 'four.txt', 'four', inRole('Gone'));
      await discard(site, 'Gone', 'Role');
      return 'four.txt';
    },
    code: 0,
    says: /^four\.txt → \S+ \(File \w+\); Role Gone does not exist any more, or does not take it$/,
    async afterwards(site) {
      assert.equal((await fileOf(site, 'four.txt'))['attached_to_name'], null);
    },
  },
  {
    name: 'not to a later document of the same name',
    async bring(site) {
      await doing(site, (ctx) => createDocument(ctx, 'Role', { role_name: 'Reused' }));
      await store(site, 'private.txt', 'private', inRole('Reused'));
      await discard(site, 'Reused', 'Role');
      await doing(site, (ctx) => createDocument(ctx, 'Role', { role_name: 'Reused' }));
      return 'private.txt';
    },
    code: 0,
    says: /^private\.txt → \S+ \(File \w+\); Role Reused does not exist any more, or does not take it$/,
    async afterwards(site) {
      assert.equal((await fileOf(site, 'private.txt'))['attached_to_name'], null);
    },
  },
  {
    name: 'not when several have the file name',
    async bring(site) {
      for (const text of ['mine', 'yours']) await discard(site, (await store(site, 'same.txt', text)).name);
      return 'same.txt';
    },
    code: 1,
    says: /^\w+: same\.txt, \d bytes, /,
    async afterwards(site) {
      const same = (await quarantined(site)).filter(({ file }) => file?.fileName === 'same.txt');
      assert.equal(same.length, 2);
    },
  },
  {
    name: 'once, when other Files have the same bytes again',
    async bring(site) {
      await discard(site, (await store(site, 'five.txt', 'five')).name);
      await store(site, 'other.txt', 'five');
      return 'five.txt';
    },
    code: 0,
    says: /^five\.txt → \/private\/files\/five\.txt /,
    async afterwards(site) {
      assert.equal(await servedText(site, '/private/files/five.txt'), 'five');
      assert.equal((await run(site.config, 'five.txt')).code, 1);
    },
  },
  {
    name: 'by its key when the database does not know it, as a private file',
    async bring(site) {
      const key = site.storage.newKey();
      await site.storage.put(key, Buffer.from('six'), { maxBytes: 3 });
      const storage = {
        ...site.storage,
        async *list() {
          for await (const object of site.storage.list()) yield { ...object, ours: false, modifiedAt: 0 };
        },
      };
      assert.equal((await collectOrphans(site, storage, { alone: true })).quarantined, 1);
      return key;
    },
    code: 0,
    says: new RegExp(`^\\S+ → /private/files/restored-${hash('sha256', 'six').slice(0, 12)} `),
    async afterwards(site) {
      const { owner, file_url } = await fileOf(site, `restored-${hash('sha256', 'six').slice(0, 12)}`);
      assert.equal(owner, 'Administrator');
      assert.equal(await servedText(site, file_url), 'six');
    },
  },
  {
    name: 'not when its bytes are damaged',
    async bring(site) {
      const file = await store(site, 'seven.txt', 'seven');
      await discard(site, file.name);
      const object = (await quarantined(site)).find((each) => each.file?.name === file.name);
      const key = object?.storageKey ?? '';
      const path = site.storage.pathOf?.(key);
      if (path) await writeFile(path.replace('/files/', '/files/quarantine/'), 'SEVEN');
      else await site.storage.put(key, Buffer.from('SEVEN'), { maxBytes: 5 });
      return 'seven.txt';
    },
    code: 1,
    says: /^seven\.txt: not restored\. Its bytes are damaged$/,
  },
  {
    name: 'not when its bytes are missing',
    async bring(site) {
      await discard(site, (await store(site, 'eight.txt', 'eight')).name);
      for (const { storageKey, file } of await quarantined(site)) {
        if (file?.fileName !== 'eight.txt') continue;
        await (site.storage.quarantine ?? site.storage).delete(storageKey);
      }
      return 'eight.txt';
    },
    code: 1,
    says: /^eight\.txt: not restored\. The storage does not have its bytes$/,
  },
  {
    name: 'not when its time is over',
    async bring(site) {
      await discard(site, (await store(site, 'nine.txt', 'nine')).name);
      await site.database.transaction((db) =>
        db.run(sql`update _stored_content set swept_at = swept_at - ${LIMITS.quarantineAge - 30_000}
          where deleted_file like '%nine.txt%'`),
      );
      return 'nine.txt';
    },
    code: 1,
    says: /^Nothing in quarantine is nine\.txt\.$/,
  },
];

// Each run of the command opens a site, so each engine and each kind of storage is tried once.
const ON = [
  { engine: 'sqlite', on: NO_S3 === false ? 's3' : 'disk' },
  { engine: 'postgres', on: 'disk' },
] as const;

for (const { engine, on } of ON) {
  describe(`files restore on ${engine} and ${on}`, () => {
    let site: OpenSite;
    before(async () => {
      site = await start(engine, on);
    });

    for (const { name, bring, code, says, afterwards } of CASES) {
      test(`a file comes back ${name}`, async () => {
        const word = await bring(site);
        const ran = await run(site.config, word);
        assert.equal(ran.code, code, ran.lines.join('\n'));
        assert.match(ran.lines[0] ?? '', says);
        await afterwards?.(site);
      });
    }

    for (const free of [LIMITS.quarantineFree - 1, LIMITS.quarantineFree])
      test(`a file restored before its bytes are moved or deleted keeps them, with ${free} bytes free`, async (t) => {
        const { name } = await store(site, `${free}.txt`, `late ${free}`);
        const effects: (() => void | Promise<void>)[] = [];
        await doing(site, (ctx) =>
          deleteDocument({ ...ctx, afterCommit: (effect) => effects.push(effect) }, 'File', String(name)),
        );
        assert.equal((await run(site.config, `${free}.txt`)).code, 0);
        const { free: before } = site.storage;
        Object.assign(site.storage, { free: async () => free });
        t.after(() => Object.assign(site.storage, { free: before }));
        for (const effect of effects) await effect();
        const { file_url } = await fileOf(site, `${free}.txt`);
        assert.equal(await servedText(site, file_url), `late ${free}`);
      });

    test('without a name it lists what is there, and --all brings all deleted Files back', async () => {
      await site.database.transaction((db) =>
        db.run(sql`delete from _stored_content where swept_at is not null`),
      );
      for (const text of ['ten', 'eleven']) await discard(site, (await storeText(site, text)).name);
      const { code, lines } = await run(site.config, null);
      assert.equal(code, 0);
      const eleven = lines.find((line) => line.includes('eleven.txt')) ?? '';
      const digest = hash('sha256', 'eleven').slice(0, 12);
      assert.match(
        eleven,
        new RegExp(
          `^\\w+: eleven\\.txt, 6 bytes, SHA-256 ${digest}…, deleted File, until [-\\d]+ [:\\d]+ \\(UTC\\)$`,
        ),
      );
      assert.ok(
        lines.some((line) => /^In quarantine: \d objects \(\d+ bytes\)\.$/.test(line)),
        lines.join('\n'),
      );
      assert.equal((await run(site.config, null, { all: true })).lines.at(-1), 'Files that came back: 2.');
      assert.equal(await servedText(site, '/private/files/ten.txt'), 'ten');
      assert.deepEqual(await run(site.config, null, { all: true }), {
        code: 0,
        lines: ['No deleted File is in quarantine.'],
      });
      await assert.rejects(run(site.config, 'ten.txt', { all: true }), /not both/);
    });

    test('the audit log has each, and the files are sound', async () => {
      const rows = await site.database.reader.all(
        sql`select credential, details from _audit where event = 'document_restored'`,
      );
      assert.equal(rows.length, 11);
      assert.ok(rows.every(({ credential }) => credential === 'command line'));
      const problems: string[] = [];
      for await (const { problem } of checkFiles(site)) if (problem !== 'left over') problems.push(problem);
      assert.deepEqual(problems, []);
    });
  });
}
