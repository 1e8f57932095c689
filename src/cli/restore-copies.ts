import { ADMINISTRATOR } from '../access/user.ts';
import { type BringingBack, bringBack } from '../backup/copies/bring-back.ts';
import { type KeptDocument, KeptDocuments } from '../backup/copies/kept-documents.ts';
import { restoreDatabase, type WantedState } from '../backup/restore.ts';
import { openRestored } from '../backup/restored-reader.ts';
import type { Repository } from '../backup/store/repository.ts';
import type { DocType, DoctypeRegistry } from '../doctype/doctype.ts';
import { readContext } from '../document/context.ts';
import { isFree } from '../document/verbs/recreate.ts';
import { holdObjects } from '../file/backup-hold.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { SITE_ID } from '../site/settings/secret-key.ts';
import { loadSettings } from '../site/settings/settings-table.ts';
import { databaseNeeds, lackOfSpace } from '../site/space-needed.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { openScratch } from '../site/start/scratch-place.ts';
import { StartError } from '../site/start-error.ts';
import { type Invocation, UsageError } from './command.ts';
import { showCopying } from './show-progress.ts';
import { withOpenSite } from './with-site.ts';

/** The name of the hold of the one process that brings copies back, and of its scratch place. */
const HOLDER = 'copies';

/** The value of `--only`: a doctype, or one document of it. */
interface Only {
  readonly doctype: string;
  readonly name: string | null;
}

/** What `--only` names; null for a restore of the whole site. @throws UsageError */
export function parseOnly({ flags }: Pick<Invocation, 'flags'>): Only | null {
  const { only } = flags;
  const isCopy = flags['as-copy'] === true;
  if (only === undefined) {
    if (isCopy) throw new UsageError('--as-copy needs --only <doctype/name>, which says what to bring back');
    return null;
  }
  if (!isCopy) {
    throw new UsageError(
      '--only needs --as-copy: only copies can be brought back beside the live documents, which stay as they are',
    );
  }
  const [, doctype = '', name] = /^([^/]*)(?:\/(.*))?$/s.exec(String(only)) ?? [];
  if (doctype === '' || name === '') {
    throw new UsageError('--only needs a doctype, such as Ticket, or a document, such as Ticket/TICK-00007');
  }
  return { doctype, name: name ?? null };
}

/** `chancery restore --only … --as-copy`: resolves to 1 when something could not be brought back. */
export function restoreCopies(
  { config, flags, print }: Invocation,
  repository: Repository,
  state: WantedState,
  only: Only,
): Promise<number> {
  return withOpenSite(config, async (site) => {
    await requireSameSite(site, repository);
    const doctype = copiedDoctype(site.doctypes, only.doctype);
    const bringing = { site, repository, doctype, backup: state.manifest.name };
    const isTrial = flags['dry-run'] === true;
    return withRestored(bringing, state, async (documents) => {
      let [done, failed] = [0, 0];
      for (const name of await wantedNames(bringing, documents, only)) {
        const kept = await documents.read(name);
        if (!kept) throw new ServiceError('DoesNotExistError', `The backup has no ${doctype.name} ${name}`);
        const isDone = isTrial ? await foretell(bringing, kept, print) : await copy(bringing, kept, print);
        if (isDone) done += 1;
        else failed += 1;
      }
      for (const line of describeLosses(documents)) print(line);
      print(
        isTrial
          ? `Nothing was changed. Documents that would come: ${done}.`
          : `Documents that came back: ${done}.`,
      );
      if (failed > 0) print(`Documents that did not come back, or not with all files: ${failed}.`);
      return failed === 0 ? 0 : 1;
    });
  });
}

/** @throws ServiceError ValidationError */
async function requireSameSite({ database }: OpenSite, repository: Repository): Promise<void> {
  if ((await loadSettings(database.reader)).get(SITE_ID) === repository.site) return;
  throw new ServiceError(
    'ValidationError',
    'The backups in this place are those of another site: --data and --database must name the site that was ' +
      'backed up',
  );
}

/** @throws ServiceError DoesNotExistError, or ValidationError for a doctype whose documents cannot be copied */
function copiedDoctype(doctypes: DoctypeRegistry, name: string): DocType {
  const doctype = doctypes.get(name);
  if (doctype.name === 'File') {
    throw refusal('Files come back with the documents that they are attached to');
  }
  if (doctype.name === 'DocType') throw refusal('Definitions cannot be copied: see chancery doctypes');
  if (doctype.istable) throw refusal(`The rows of ${name} come back with the documents that they belong to`);
  if (doctype.issingle) throw refusal(`${name} is a single: there is no place for a copy of it`);
  if (doctype.rowsFrom !== 'table') throw refusal(`The documents of ${name} are not in the database`);
  return doctype;
}

function refusal(message: string): ServiceError {
  return new ServiceError('ValidationError', message);
}

/** Restores the database into a scratch place, which is removed at the end, and reads the documents there. */
async function withRestored<T>(
  { site, repository, doctype }: BringingCopies,
  state: WantedState,
  work: (documents: KeptDocuments) => Promise<T>,
): Promise<T> {
  const lack = lackOfSpace(databaseNeeds(site.config, state.manifest));
  if (lack !== null) throw new StartError(`There is no space to read the backup: ${lack}`);
  const hold = await holdObjects(site, HOLDER, 'restore of copies');
  try {
    const scratch = await openScratch(site.config, HOLDER);
    try {
      const progress = showCopying();
      await restoreDatabase(repository, state, scratch.url, progress.database).finally(progress.end);
      const restored = await openRestored(scratch.url, new AbortController().signal);
      try {
        return await work(await KeptDocuments.open(site, restored.connection, doctype));
      } finally {
        await restored.close();
      }
    } finally {
      await scratch.remove();
    }
  } finally {
    await hold.release();
  }
}

interface BringingCopies extends BringingBack {
  readonly site: OpenSite;
  readonly repository: Repository;
}

/**
 * The documents to bring back. Those whose names are free come first, so that no other copy takes the name.
 * @throws ServiceError ValidationError when there are too many
 */
async function wantedNames(
  bringing: BringingCopies,
  documents: KeptDocuments,
  { name }: Only,
): Promise<readonly string[]> {
  if (name !== null) return [name];
  const most = LIMITS.copiedDocuments;
  const names = await documents.names(most + 1);
  if (names.length > most) {
    throw refusal(
      `The backup has more than ${most} documents of ${bringing.doctype.name}: restore the whole site into an ` +
        'empty place, and take from there what you need',
    );
  }
  const [free, taken]: [string[], string[]] = [[], []];
  for (const one of names) ((await isNameFree(bringing, one)) ? free : taken).push(one);
  return [...free, ...taken];
}

function isNameFree({ site, doctype }: BringingCopies, name: string): Promise<boolean> {
  return isFree(readContext(site, ADMINISTRATOR), doctype, name);
}

/** Creates the copy, and prints what became of it. Resolves to false when it or a file of it is missing. */
async function copy(
  bringing: BringingCopies,
  kept: KeptDocument,
  print: Invocation['print'],
): Promise<boolean> {
  const { name, notes, isWhole } = await bringBack(bringing, kept);
  const also = notes.join(', ');
  if (name === null) print(`${kept.name}: not created. ${also}`);
  else print(`${kept.name} → ${name}${also === '' ? '' : `, ${also}`}`);
  return isWhole;
}

async function foretell(
  bringing: BringingCopies,
  kept: KeptDocument,
  print: Invocation['print'],
): Promise<boolean> {
  const free = await isNameFree(bringing, kept.name);
  const files = new Set(kept.files.map(({ url }) => url)).size;
  const name = free ? 'the name is free' : 'there is such a document, so it gets a new name';
  print(`${kept.name}: ${name}${files === 0 ? '' : `; files: ${files}`}`);
  return true;
}

function describeLosses({ doctype, leftOut, unreadable }: KeptDocuments): string[] {
  const lines: string[] = [];
  if (leftOut.size > 0) {
    lines.push(`Left out, because ${doctype.name} no longer has these fields: ${[...leftOut].join(', ')}.`);
  }
  if (unreadable.size > 0) {
    lines.push(`Left out, because the site's key cannot decrypt them: ${[...unreadable].join(', ')}.`);
  }
  return lines;
}
