import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Config } from '../../src/config/config.ts';
import { checkFiles } from '../../src/file/check-files.ts';
import { keysOf } from '../../src/file/content.ts';
import type { App } from '../../src/site/app.ts';
import { keysIn } from './kept-files.ts';
import { notes } from './notes/app.ts';
import { type Engine, startTestSite, type TestReply, type TestSite } from './site.ts';
import { until } from './until.ts';

/** Begins like a PNG, which is all that is looked at. */
export const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(100)]);
/** The size limit of `startFileSite`. */
export const MAX_BYTES = 200_000;

type Content = string | Uint8Array<ArrayBuffer>;
type Fields = Readonly<Record<string, string>>;

/**
 * A site with users around two doctypes: Note, and Case, which people see only their own of. The users are
 * `writer`, a Note Writer, `reader`, a Note Reader, `outsider`, a System User with access to neither, and
 * `visitor`, a Website User.
 */
export interface FileSite extends TestSite {
  upload(name: string, content: Content, fields?: Fields, as?: string): Promise<TestReply>;
  /** The same, which must succeed: resolves to the File document. */
  // biome-ignore lint/suspicious/noExplicitAny: File documents as the wire shows them
  stored(name: string, content: Content, fields?: Fields, as?: string): Promise<any>;
  /** Makes a document; resolves to its name. */
  create(doctype: 'Note' | 'Case', fields: Readonly<Record<string, unknown>>, as?: string): Promise<string>;
  /** GET as Guest, unless `as` says otherwise. */
  get(path: string, as?: string | null, headers?: Record<string, string>): Promise<TestReply>;
  /** Number of objects in the storage, without those in quarantine. */
  keys(): Promise<number>;
  /** Checks the stored files, once deleted ones have been moved. */
  assertSound(): Promise<void>;
  /** Stops the site, which may have met anything. */
  end(): Promise<void>;
  /** Stops the site, which must have met nothing unexpected. */
  stop(): Promise<void>;
}

/** Address of a File document. */
export function file(name: string): string {
  return `/api/resource/File/${encodeURIComponent(name)}`;
}

/** For `describeSite`. */
export function fileSite(
  config?: Partial<Config>,
  apps?: readonly App[],
): (engine: Engine) => Promise<FileSite> {
  return (engine) => startFileSite(engine, config, apps);
}

/** Starts such a site, for whoever stops it. */
export async function startFileSite(
  engine: Engine,
  config: Partial<Config> = {},
  apps: readonly App[] = [notes],
): Promise<FileSite> {
  const site = await startTestSite(engine, {
    apps,
    users: { writer: ['Note Writer'], reader: ['Note Reader'], outsider: ['Desk User'], visitor: [] },
    config: {
      uploads: { maxBytes: MAX_BYTES, defaultPrivate: false, perUserBytes: 0, stripMetadata: true },
      ...config,
    },
  });
  await site.make('DocType', CASE);
  let count = 0;

  const upload: FileSite['upload'] = (name, content, fields = {}, as) => {
    const form = new FormData();
    form.set('file', new Blob([content]), name);
    for (const [key, value] of Object.entries(fields)) form.set(key, value);
    return site.request('POST', '/api/method/upload_file', { body: form, as });
  };

  async function keys(): Promise<number> {
    let found = 0;
    const { database, storage } = site.site;
    for (const key of await keysIn(storage)) {
      if ((await keysOf(database.reader, [key])).get(key) !== false) found += 1;
    }
    return found;
  }

  return {
    ...site,
    upload,
    async stored(name, content, fields, as) {
      const reply = await upload(name, content, fields, as);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.message;
    },
    async create(doctype, fields, as) {
      count += 1;
      const body = doctype === 'Note' ? { name: `note-${count}`, title: 'T', ...fields } : fields;
      return (await site.make(doctype, body, as)).name;
    },
    get: (path, as = null, headers = {}) => site.request('GET', path, { as, headers }),
    keys,
    async assertSound() {
      const { storage } = site.site;
      // A disk moves an object into quarantine after the commit that gives it up.
      if (storage.quarantine) await until(async () => (await keysIn(storage)).length === (await keys()));
      for await (const problem of checkFiles(site.site)) assert.fail(JSON.stringify(problem));
    },
    end: site.stop,
    async stop() {
      await site.stop();
      assert.deepEqual(
        site.observed.filter(({ kind }) => kind === 'unexpected'),
        [],
      );
    },
  };
}

const CASE = {
  name: 'Case',
  module: 'Notes',
  custom: 1,
  autoname: 'hash',
  max_attachments: 2,
  fields: [
    { fieldname: 'subject', label: 'Subject', fieldtype: 'Data' },
    { fieldname: 'photo', label: 'Photo', fieldtype: 'Attach Image' },
  ],
  permissions: [
    { role: 'System Manager', read: 1, write: 1, create: 1, delete: 1 },
    { role: 'All', read: 1, write: 1, create: 1, delete: 1, if_owner: 1 },
  ],
};
