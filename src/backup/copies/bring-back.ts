import { audit, COMMAND_LINE } from '../../access/audit.ts';
import { ADMINISTRATOR } from '../../access/user.ts';
import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import { fieldtypeOf } from '../../doctype/fieldtypes/fieldtypes.ts';
import { nameKey } from '../../doctype/numbered.ts';
import type { Context } from '../../document/contract.ts';
import { rowsOf } from '../../document/document.ts';
import { layoutOf } from '../../document/layout.ts';
import { autonameField } from '../../document/naming/naming.ts';
import { createDocument, finishCreation, newChange } from '../../document/verbs/create.ts';
import { documentWith, isFree, placeUnder } from '../../document/verbs/recreate.ts';
import { unitOfWork } from '../../document/write/unit-of-work.ts';
import { movedUrls, putUrls } from '../../file/attach-fields.ts';
import { mayWriteField } from '../../file/attached-field.ts';
import { ATTACHMENTS } from '../../file/folder.ts';
import type { UnclaimedContent } from '../../file/stored-file.ts';
import { createFile, discardContent, type FileSite, receiveContent } from '../../file/upload-file.ts';
import { formatTimestamp } from '../../kernel/clock.ts';
import { isRefusal, ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { DamagedBackup } from '../store/damaged-backup.ts';
import type { Repository } from '../store/repository.ts';
import type { KeptDocument, KeptFile } from './kept-documents.ts';
import { turnOff } from './turn-off.ts';

/** Where documents of a backup come from, and where they go. */
export interface BringingBack {
  readonly site: FileSite;
  readonly repository: Pick<Repository, 'openFile'>;
  /** The name of the backup. */
  readonly backup: string;
  readonly doctype: DocType;
}

/** What became of a document of a backup. */
export interface Brought {
  /** Its name in the site; null when it could not be created. */
  readonly name: string | null;
  /** Why it could not be created; else what is missing or different, a sentence part each. */
  readonly notes: readonly string[];
  /** True when it was created with all its files. */
  readonly isWhole: boolean;
}

/**
 * Creates a document of a backup in the live site, as Administrator and in a transaction of its own, with the hooks,
 * checks and webhooks of every creation. It is a draft, keeps its name if that is free, and is off if it would act.
 */
export async function bringBack(bringing: BringingBack, kept: KeptDocument): Promise<Brought> {
  const { site } = bringing;
  const contents = new Map<string, UnclaimedContent>();
  try {
    const { files, lacking } = filesWithPlace(bringing, kept.files);
    lacking.push(...(await receiveFiles(bringing, files, contents)));
    const work = (ctx: Context) => create(ctx, bringing, { ...kept, files }, contents);
    const { name, isTurnedOff } = await unitOfWork(site, ADMINISTRATOR, work, COMMAND_LINE);
    const states = ['', 'a draft (it was submitted)', 'a draft (it was cancelled)'];
    const state = states[kept.docstatus] ?? '';
    const differs = [...(state === '' ? [] : [state]), ...(isTurnedOff ? ['turned off'] : [])];
    return { name, notes: [...differs, ...lacking], isWhole: lacking.length === 0 };
  } catch (error) {
    // Otherwise the collection finds out whether a row has the bytes.
    if (isRefusal(error)) for (const content of contents.values()) await discardContent(site, content);
    if (!(error instanceof ServiceError)) throw error;
    return { name: null, notes: [error.message], isWhole: false };
  }
}

/** A file of each url. Those of fields that are gone cannot come: the field says who may read the file. */
function filesWithPlace(
  { site, doctype }: BringingBack,
  files: readonly KeptFile[],
): { readonly files: readonly KeptFile[]; readonly lacking: string[] } {
  const hasPlace = ({ field }: KeptFile) =>
    field === '' || mayWriteField(site.doctypes, ADMINISTRATOR, doctype, field);
  const { true: placed = [], false: others = [] } = Object.groupBy(files, (file) =>
    hasPlace(file) ? 'true' : 'false',
  );
  // A document may have several Files of one url, one for each field.
  const byUrl = new Map(placed.toReversed().map((file) => [file.url, file]));
  const lacking = others
    .filter(({ url }) => !byUrl.has(url))
    .map(({ fileName, field }) => `without the file ${fileName}: its field ${field} is gone`);
  return { files: [...byUrl.values()].toReversed(), lacking };
}

/** Stores the contents before the transaction, by url. Resolves to what the backup does not have intact. */
async function receiveFiles(
  { site, repository }: BringingBack,
  files: readonly KeptFile[],
  contents: Map<string, UnclaimedContent>,
): Promise<string[]> {
  const lacking: string[] = [];
  for (const { url, fileName, sha256 } of files) {
    if (isExternal(url)) continue;
    const content = sha256 === null ? null : await repository.openFile(sha256);
    try {
      if (content) contents.set(url, await receiveContent(site, content));
      else lacking.push(`without the file ${fileName}: the backup does not have its bytes`);
    } catch (error) {
      if (!(error instanceof DamagedBackup)) throw error;
      lacking.push(`without the file ${fileName}: ${error.message}`);
    }
  }
  return lacking;
}

function isExternal(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

async function create(
  ctx: Context,
  { doctype, backup }: BringingBack,
  kept: KeptDocument,
  contents: ReadonlyMap<string, UnclaimedContent>,
): Promise<{ readonly name: string; readonly isTurnedOff: boolean }> {
  const doc = documentWith(ctx, doctype, kept.values);
  const isTurnedOff = turnOff(doctype, doc);
  putPasswords(ctx, doctype, doc, kept.values);
  // It amends nothing: it stands beside the document that may be an amendment.
  if (doctype.is_submittable && doctype.fieldByName.has('amended_from')) doc['amended_from'] = null;
  placeUnder(doctype, doc, await nameFor(ctx, doctype, kept.name));
  const inFields = await createFieldFiles(ctx, doctype, doc, kept.files, contents);
  await finishCreation(ctx, newChange(doctype, doc, {}, true));
  for (const file of kept.files) {
    if (!inFields.has(file.url)) await attachFile(ctx, doctype, doc.name, file, contents.get(file.url));
  }
  const details = { backup, old_name: kept.name };
  await audit(ctx, { event: 'document_restored', doctype: doctype.name, name: doc.name, details });
  return { name: doc.name, isTurnedOff };
}

function putPasswords(ctx: Context, doctype: DocType, doc: Document, values: KeptDocument['values']): void {
  const put = (of: DocType, holder: Document | ChildRow, from: Readonly<Record<string, unknown>>) => {
    for (const { fieldname } of layoutOf(of).passwords) {
      const value = from[fieldname];
      if (typeof value === 'string') holder[fieldname] = value;
    }
  };
  put(doctype, doc, values);
  for (const { fieldname, options } of doctype.tables) {
    const rows = (values[fieldname] ?? []) as Readonly<Record<string, unknown>>[];
    for (const [index, row] of rowsOf(doc, fieldname).entries())
      put(ctx.doctypes.get(options), row, rows[index] ?? {});
  }
}

/** The former name if it is free; else one with the date where people choose names; else '', for the naming rule. */
async function nameFor(ctx: Context, doctype: DocType, former: string): Promise<string> {
  if (nameKey(doctype, former) === null) return '';
  if (await isFree(ctx, doctype, former)) return former;
  if (!/^(?:prompt|prompt_or_hash|field:.*)$/is.test(doctype.autoname)) return '';
  const { clock, config } = ctx.site;
  const today = formatTimestamp(clock.micros(), config.timeZone).slice(0, 10);
  for (let number = 1; number <= LIMITS.seriesTries; number += 1) {
    const suffix = ` (restored ${today}${number === 1 ? '' : `, ${number}`})`;
    const name = [...former].slice(0, LIMITS.nameLength - suffix.length).join('') + suffix;
    if (!(await isFree(ctx, doctype, name))) continue;
    const field = doctype.fieldByName.get(autonameField(doctype) ?? '');
    // The field gets the name, and may not take it, as an address of mail.
    if (field) fieldtypeOf(field).coerce(name, field);
    return name;
  }
  return former;
}

/** Creates the files that attach fields hold, and puts their urls into these, or null: the save attaches them. */
async function createFieldFiles(
  ctx: Context,
  doctype: DocType,
  doc: Document,
  files: readonly KeptFile[],
  contents: ReadonlyMap<string, UnclaimedContent>,
): Promise<ReadonlyMap<string, string | null>> {
  const held = movedUrls(ctx, doctype, doc, null);
  const urls = new Map<string, string | null>();
  for (const { url, fileName, isPrivate } of files) {
    const content = contents.get(url);
    if (!held.has(url)) continue;
    if (!content) {
      // The live site may have another file at this url.
      urls.set(url, null);
      continue;
    }
    const fields = new Map([
      ['is_private', isPrivate ? '1' : '0'],
      ['folder', ATTACHMENTS],
    ]);
    const file = await createFile(ctx, content, fileName, fields);
    urls.set(url, String(file['file_url']));
  }
  putUrls(ctx, doctype, doc, urls);
  return urls;
}

/** Attaches a file that no field holds. The field of its permission stays, if there is one. */
async function attachFile(
  ctx: Context,
  doctype: DocType,
  name: string,
  { url, fileName, isPrivate, field }: KeptFile,
  content: UnclaimedContent | undefined,
): Promise<void> {
  if (content) {
    const fields = new Map([
      ['doctype', doctype.name],
      ['docname', name],
      ['fieldname', field],
      ['is_private', isPrivate ? '1' : '0'],
      ['folder', ATTACHMENTS],
    ]);
    await createFile(ctx, content, fileName, fields);
  } else if (isExternal(url)) {
    await createDocument(ctx, 'File', {
      file_name: fileName,
      file_url: url,
      attached_to_doctype: doctype.name,
      attached_to_name: name,
      attached_to_field: field || null,
      folder: ATTACHMENTS,
    });
  }
}
