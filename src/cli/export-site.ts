import { createWriteStream, readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { audit, COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { version } from '../config/version.ts';
import { ident, sql } from '../db/sql.ts';
import { readContext } from '../document/context.ts';
import { readCounters } from '../document/naming/counters.ts';
import { readDocument } from '../document/verbs/read.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { formatTimestamp } from '../kernel/clock.ts';
import { size } from '../kernel/quantity.ts';
import { archivedDoctypes, archivedPages } from '../load/archive/archived-documents.ts';
import { archivedFiles } from '../load/archive/archived-files.ts';
import { encryptSecrets, readSecrets } from '../load/archive/archived-secrets.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { StartError } from '../site/start-error.ts';
import { type Invocation, requireWord } from './command.ts';
import { CUSTOMIZATIONS } from './load-definitions.ts';
import { showProgress } from './show-progress.ts';
import {
  type ArchivePart,
  bytesPath,
  MANIFEST,
  PartWriter,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  SECRETS,
  type SiteManifest,
} from './site-archive.ts';
import { withOpenSite } from './with-site.ts';

/** The usage of `exportSite`. */
export const SITE_USAGE = 'site <folder> [--passphrase-file <file>]';

/** `chancery export site`: resolves to 1 when the file storage lacks the bytes of a file. */
export async function exportSite({ config, words, flags, print }: Invocation): Promise<number> {
  const folder = requireWord(words, 1, 'The folder');
  const passphrase = passphraseIn(flags['passphrase-file']);
  await makeFolder(folder);
  return withOpenSite(config, async (site) => {
    const progress = showProgress();
    try {
      const definitions = await writeDefinitions(site, folder);
      const documents: Record<string, ArchivePart> = {};
      let total = 0;
      for (const [index, doctype] of archivedDoctypes(site.doctypes).entries()) {
        const slug = doctype.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
        const part = new PartWriter(
          folder,
          join('documents', `${String(index + 1).padStart(4, '0')}-${slug}.ndjson`),
        );
        for await (const page of archivedPages(site, doctype)) {
          await part.write(page);
          total += page.length;
          progress.show(`${total} documents, ${doctype.name}`);
        }
        documents[doctype.name] = await part.end();
      }
      const { files, bytes, lost } = await writeFiles(site, folder, progress.show);
      if (passphrase !== null) {
        await writeFile(join(folder, SECRETS), encryptSecrets(await readSecrets(site), passphrase), {
          mode: PRIVATE_FILE,
        });
      }
      const { series } = await readCounters(site.database.reader);
      const manifest: SiteManifest = {
        ...{ format: 1, version: version(), made: formatTimestamp(site.clock.micros()) },
        ...{ timeZone: site.config.timeZone, definitions, documents, files },
        ...{ series: Object.fromEntries(series), hasSecrets: passphrase !== null },
      };
      await noteExport(site, total);
      await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, {
        mode: PRIVATE_FILE,
      });
      progress.end();
      const what = `${definitions.lines} definitions, ${total} documents, ${files.lines} files (${size(bytes)})`;
      print(
        `${folder} holds ${what}${passphrase === null ? '; no passwords, keys or secrets' : ', secrets encrypted'}.`,
      );
      for (const url of lost) print(`${url}: the file storage does not have its bytes.`);
      return lost.length === 0 ? 0 : 1;
    } finally {
      progress.end();
    }
  });
}

/** The passphrase in a file, without the end of its line; null without a file. @throws StartError */
export function passphraseIn(file: unknown): string | null {
  if (typeof file !== 'string') return null;
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  if (text.length < 12) throw new StartError(`The passphrase in ${file} has fewer than 12 characters`);
  return text;
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  if ((await readdir(folder)).length > 0) throw new StartError(`${folder} is not empty`);
  // One that was there keeps others out from now on, too.
  await chmod(folder, PRIVATE_FOLDER);
  for (const inner of ['documents', 'files']) await mkdir(join(folder, inner), { mode: PRIVATE_FOLDER });
}

/** Doctypes that no app ships, and customizations. */
async function writeDefinitions(site: OpenSite, folder: string): Promise<ArchivePart> {
  const part = new PartWriter(folder, 'definitions.ndjson');
  const ctx = readContext(site, ADMINISTRATOR);
  for (const { name, app } of site.doctypes.all()) {
    if (app === '') await part.write([await readDocument(ctx, 'DocType', name)]);
  }
  for (const doctype of CUSTOMIZATIONS) {
    const rows = await site.database.reader.all(
      sql`select "name" from ${ident(doctype)} order by "creation", "name"`,
    );
    for (const { name } of rows) await part.write([await readDocument(ctx, doctype, String(name))]);
  }
  return part.end();
}

async function writeFiles(site: OpenSite, folder: string, show: (text: string) => void) {
  const part = new PartWriter(folder, 'files.ndjson');
  const lost: string[] = [];
  let [bytes, count] = [0, 0];
  for await (const page of archivedFiles(site)) {
    for (const { storage_key: key, ...file } of page) {
      const path = bytesPath(folder, file.sha256);
      if (!(await stat(path).catch(() => null))) {
        const opened = await site.storage.open(key);
        if (!opened) {
          lost.push(file.file_url);
          continue;
        }
        await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
        await pipeline(Readable.from(opened.body), createWriteStream(path, { mode: PRIVATE_FILE }));
        bytes += opened.bytes;
      }
      await part.write([file]);
      count += 1;
      show(`${count} files, ${size(bytes)}`);
    }
  }
  return { files: await part.end(), bytes, lost };
}

async function noteExport(site: OpenSite, documents: number): Promise<void> {
  await unitOfWork(
    site,
    ADMINISTRATOR,
    (ctx) => audit(ctx, { event: 'exported', details: { what: 'site', documents } }),
    COMMAND_LINE,
  );
}
