import { hash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { sql } from '../db/sql.ts';
import { raiseCounter } from '../document/naming/series.ts';
import { errorCode } from '../kernel/error-code.ts';
import { ServiceError } from '../kernel/errors.ts';
import { isRecord } from '../kernel/value.ts';
import { type ArchivedFile, storeArchivedFile } from '../load/archive/archived-files.ts';
import { type ArchivedSecrets, decryptSecrets, storeCredentials } from '../load/archive/archived-secrets.ts';
import { endedLoad, unfinishedLoad } from '../load/data-load.ts';
import { linesOf, ndjsonSource } from '../load/ndjson-source.ts';
import type { LoadSource, SourceRecord } from '../load/record.ts';
import { isFault } from '../load/store/write-documents.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { StartError } from '../site/start-error.ts';
import type { Invocation } from './command.ts';
import { passphraseIn } from './export-site.ts';
import { loadDefinitions } from './load-definitions.ts';
import { loadOf, runFromFile } from './run-from-file.ts';
import { showProgress } from './show-progress.ts';
import { bytesPath, MANIFEST, readManifest, SECRETS, type SiteManifest, verifyPart } from './site-archive.ts';
import { sourceFile } from './source-file.ts';
import { withOpenSite } from './with-site.ts';

/** `chancery import <folder>`: brings the export of a site into an empty one. Resolves to 1 when something failed. */
export async function importSite({ config, flags, print }: Invocation, folder: string): Promise<number> {
  const manifest = readManifest(folder);
  const secrets = secretsOf(folder, manifest, passphraseIn(flags['passphrase-file']));
  const parts = [manifest.definitions, ...Object.values(manifest.documents), manifest.files];
  for (const part of parts) await verifyPart(folder, part);
  return withOpenSite(
    config,
    async (site) => {
      if (site.config.timeZone !== manifest.timeZone) {
        throw new StartError(
          `The export has times in ${manifest.timeZone}: set timeZone to it before the import`,
        );
      }
      const source = await documentsOf(site, folder, manifest, secrets);
      const ended = await endedLoad(site.database.reader, { kind: 'Load', sourceId: source.id });
      if (ended !== null) {
        print(`The documents are here already: ${ended}.`);
        return (await storeFiles(site, folder, manifest, print)) ? 0 : 1;
      }
      await requireEmpty(site, source);
      const options = {
        site,
        user: ADMINISTRATOR,
        origin: COMMAND_LINE,
        mode: 'Upsert',
        isCommandLine: true,
      } as const;
      // From here on, the site counts as one that this import has begun to fill.
      await loadOf(site, source, options, 'site');
      const definitions = ndjsonSource(await sourceFile(join(folder, manifest.definitions.path)));
      for (const line of (await loadDefinitions(site, definitions)).lines) print(line);
      const hasAllFiles = await storeFiles(site, folder, manifest, print);
      const { code, isDone } = await runFromFile(site, source, options, 'site', print, () =>
        site.database.transaction(async (db) => {
          for (const [key, number] of Object.entries(manifest.series)) await raiseCounter(db, key, number);
          if (secrets) await storeCredentials(db, secrets);
        }),
      );
      if (isDone) await site.dropCaches('users');
      return hasAllFiles ? code : 1;
    },
    { patient: true },
  );
}

/** @throws StartError, ServiceError when they are there and the passphrase is missing or wrong */
function secretsOf(
  folder: string,
  manifest: SiteManifest,
  passphrase: string | null,
): ArchivedSecrets | null {
  if (!manifest.hasSecrets) {
    if (passphrase === null) return null;
    throw new StartError(`${folder} holds no secrets`);
  }
  if (passphrase === null) {
    throw new StartError(
      `${folder} holds encrypted secrets: --passphrase-file names the file with their passphrase`,
    );
  }
  return decryptSecrets(readFileSync(join(folder, SECRETS)), passphrase);
}

/**
 * A site is empty when it has only what its first start has made. One that this import has begun to fill counts, too.
 * @throws StartError
 */
async function requireEmpty(site: OpenSite, { id }: LoadSource): Promise<void> {
  const { reader } = site.database;
  if ((await unfinishedLoad(reader, ADMINISTRATOR, { kind: 'Load', sourceId: id })) !== null) return;
  const stored = await reader.get(sql`select "file_url" as "name" from "_stored_file" limit 1`);
  const own = site.doctypes.all().find(({ app }) => app === '');
  const found = own ? `the doctype ${own.name}` : stored ? `the file ${stored['name']}` : null;
  if (found === null) return;
  throw new StartError(`The export of a site needs an empty site, and this one has ${found}`);
}

/** The documents of an export in the order of its doctypes, with their secrets. */
async function documentsOf(
  site: OpenSite,
  folder: string,
  manifest: SiteManifest,
  secrets: ArchivedSecrets | null,
): Promise<LoadSource> {
  const parts = Object.values(manifest.documents);
  const sources: LoadSource[] = [];
  for (const { path } of parts) sources.push(ndjsonSource(await sourceFile(join(folder, path))));
  const lines = parts.reduce((sum, part) => sum + part.lines, 0);
  const kept = secretsByPlace(secrets);
  let read = 0;
  return {
    id: `export ${hash('sha256', readFileSync(join(folder, MANIFEST))).slice(0, 32)}`,
    label: basename(resolve(folder)),
    total: lines,
    async *records() {
      read = 0;
      for (const source of sources) {
        for await (const record of source.records()) {
          read += 1;
          yield 'doctype' in record ? withSecrets(site, kept, record) : record;
        }
      }
    },
    part: () => (lines === 0 ? 1 : read / lines),
  };
}

type SecretsByPlace = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

function secretsByPlace(secrets: ArchivedSecrets | null): SecretsByPlace {
  const kept = new Map<string, Record<string, unknown>>();
  for (const { doctype, name, fieldname, value } of secrets?.fields ?? []) {
    const place = `${doctype}\n${name}`;
    kept.set(place, { ...kept.get(place), [String(fieldname)]: value });
  }
  return kept;
}

function withSecrets(site: OpenSite, kept: SecretsByPlace, record: SourceRecord): SourceRecord {
  const doctype = site.doctypes.find(record.doctype);
  if (kept.size === 0 || !doctype) return record;
  const values: Record<string, unknown> = {
    ...record.values,
    ...kept.get(`${doctype.name}\n${record.values['name']}`),
  };
  for (const { fieldname, options } of doctype.tables) {
    const rows = values[fieldname];
    if (!Array.isArray(rows)) continue;
    values[fieldname] = rows.map((row: unknown) =>
      isRecord(row) ? { ...row, ...kept.get(`${options}\n${row['name']}`) } : row,
    );
  }
  return { ...record, values };
}

/** Stores the bytes of all files. Resolves to false when some are missing or damaged, which it prints. */
async function storeFiles(
  site: OpenSite,
  folder: string,
  { files }: SiteManifest,
  print: Invocation['print'],
): Promise<boolean> {
  const progress = showProgress();
  let [stored, bad] = [0, 0];
  try {
    for await (const record of ndjsonLines(folder, files.path)) {
      const outcome = await storeFile(site, folder, record);
      if (outcome === 'stored') stored += 1;
      else if (outcome !== 'known') {
        bad += 1;
        progress.end();
        print(`${record.file_url}: ${outcome.problem}`);
      }
      progress.show(`${stored} of ${files.lines} files`);
    }
  } finally {
    progress.end();
  }
  if (stored > 0) print(`${stored} files stored.`);
  if (bad > 0) print(`${bad} files are without bytes. The same command stores those that were repaired.`);
  return bad === 0;
}

/** One file of many must not stop the others. */
async function storeFile(
  site: OpenSite,
  folder: string,
  record: ArchivedFile,
): Promise<'stored' | 'known' | { readonly problem: string }> {
  try {
    const isNew = await storeArchivedFile(site, ADMINISTRATOR, record, () => openBytes(folder, record));
    return isNew ? 'stored' : 'known';
  } catch (error) {
    if (isFault(error)) return { problem: error.message };
    throw error;
  }
}

async function openBytes(folder: string, { sha256, bytes }: ArchivedFile): Promise<Readable> {
  const path = bytesPath(folder, sha256);
  const found = await stat(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new ServiceError('DoesNotExistError', 'The export lacks its bytes');
  });
  if (found.size !== bytes)
    throw new ServiceError('ChecksumMismatchError', 'Its bytes in the export are damaged');
  return createReadStream(path);
}

async function* ndjsonLines(folder: string, path: string): AsyncGenerator<ArchivedFile> {
  for await (const { line } of linesOf(createReadStream(join(folder, path)))) {
    const value: unknown = JSON.parse(line?.toString('utf8') ?? 'null');
    if (!isRecord(value) || !/^[0-9a-f]{64}$/.test(String(value['sha256']))) {
      throw new ServiceError('ValidationError', `${path} has a line that is no file`);
    }
    yield value as unknown as ArchivedFile;
  }
}
