import { audit, COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import type { Connection } from '../db/database.ts';
import { sharedMillis } from '../db/shared-clock.ts';
import { ident, sql } from '../db/sql.ts';
import type { Document } from '../doctype/doctype.ts';
import { nameKey } from '../doctype/numbered.ts';
import type { Context, Site } from '../document/contract.ts';
import { lockClause } from '../document/lock.ts';
import { createDocument } from '../document/verbs/create.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { formatTimestamp } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { Fields } from '../kernel/value.ts';
import { mayWriteField } from './attached-field.ts';
import { carriesFiles } from './attachment.ts';
import { findContent } from './content.ts';
import { type DeletedFile, parseDeleted } from './deleted-file.ts';
import { HOME } from './folder.ts';
import { meter } from './meter.ts';
import { openAnywhere } from './quarantine.ts';
import type { Storage, StoredObject } from './storage.ts';
import { claimUrl, fieldsWithClaim } from './stored-file.ts';
import type { FileSite } from './upload-file.ts';

/** An object in quarantine. */
export interface Quarantined {
  readonly storageKey: string;
  readonly bytes: number;
  /** A user deleted its last File; otherwise the database did not know it. */
  readonly isDeleted: boolean;
  /** When it came there, and when it is deleted at the latest; milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
  /** Null for an object that never had a File, and for one of an earlier version. */
  readonly file: DeletedFile | null;
}

const PAGE = 200;
/** An object whose time is over in less than this may be deleted at any moment; milliseconds. */
const MARGIN = 60_000;

/** The objects in quarantine that can come back, in the order of their keys. */
export async function* listQuarantined(
  db: Connection,
  { clock }: Pick<Site, 'clock'>,
): AsyncGenerator<Quarantined> {
  for (let last = ''; ; ) {
    const rows = await db.all(
      sql`select storage_key, bytes, is_deleted, swept_at, deleted_file from _stored_content
        where storage_key > ${last} and ${isKept(db, clock)} order by storage_key limit ${PAGE}`,
    );
    for (const row of rows) {
      last = String(row['storage_key']);
      yield {
        storageKey: last,
        bytes: Number(row['bytes']),
        isDeleted: Number(row['is_deleted']) === 1,
        since: Number(row['swept_at']),
        until: Number(row['swept_at']) + LIMITS.quarantineAge,
        file: parseDeleted(row['deleted_file']),
      };
    }
    if (rows.length < PAGE) return;
  }
}

function isKept(db: Connection, clock: Site['clock']) {
  return sql`swept_at > ${sharedMillis(db, clock)} - ${LIMITS.quarantineAge - MARGIN}`;
}

/**
 * Creates a File for an object in quarantine, as Administrator and in a transaction of its own. It gets its former
 * url if that is free, and its owner, folder and document, as far as they exist; without a description it is a private
 * file of Administrator.
 * @throws ServiceError DoesNotExistError when the object is gone, ValidationError when its bytes are others than
 * before; and as `createDocument`
 */
export async function restoreQuarantined(site: FileSite, object: Quarantined): Promise<Document> {
  const { storage } = site;
  const stored = await readBytes(storage, object);
  const work = (ctx: Context) => create(ctx, storage, object, stored);
  const { doc, isMoved } = await unitOfWork(site, ADMINISTRATOR, work, COMMAND_LINE);
  // After the commit, so that no collection takes it for an object given up. If this fails, the next start does it.
  if (isMoved) await storage.quarantine?.restore(object.storageKey);
  return doc;
}

async function readBytes(storage: Storage, { storageKey, bytes, file }: Quarantined): Promise<StoredObject> {
  const opened = await openAnywhere(storage, storageKey);
  if (!opened) throw new ServiceError('DoesNotExistError', 'The storage does not have its bytes');
  const measuring = meter({ maxBytes: Number.MAX_SAFE_INTEGER });
  const { body } = opened;
  for await (const _ of measuring.measure(Buffer.isBuffer(body) ? one(body) : body));
  const stored = measuring.result();
  if (stored.bytes === bytes && (file === null || file.sha256 === stored.sha256)) return stored;
  throw new ServiceError('ValidationError', 'Its bytes are damaged');
}

async function* one(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

async function create(
  ctx: Context,
  storage: Storage,
  object: Quarantined,
  stored: StoredObject,
): Promise<{ readonly doc: Document; readonly isMoved: boolean }> {
  const { storageKey, file } = object;
  const isPrivate = file?.isPrivate ?? true;
  await claimObject(ctx, storageKey);
  // The same bytes may be in use again.
  const same = await findContent(ctx, stored.sha256, isPrivate);
  const row = sql`where storage_key = ${storageKey}`;
  await ctx.db.run(
    same === null
      ? sql`delete from _stored_content ${row}`
      : sql`update _stored_content set deleted_file = null ${row}`,
  );
  const content = { storage, storageKey: same ?? storageKey, stored };
  const fileName = file?.fileName || `restored-${stored.sha256.slice(0, 12)}`;
  const claimed = await claimUrl(ctx, content, fileName, isPrivate, file?.fileUrl);
  const owner = file && (await hasUser(ctx, file.owner)) ? file.owner : ctx.user.name;
  const input = fieldsWithClaim(
    { ...claimed, owner },
    {
      file_name: fileName,
      is_private: isPrivate ? 1 : 0,
      folder: file && (await isFolder(ctx, file.folder)) ? file.folder : HOME,
      ...(await attachment(ctx, object)),
    },
  );
  const doc = await createDocument(ctx, 'File', input);
  const details = { storage_key: storageKey, old_name: file?.name ?? null };
  await audit(ctx, { event: 'document_restored', doctype: 'File', name: doc.name, details });
  return { doc, isMoved: same === null };
}

/** Locks the row. The process that deletes objects takes only those whose time is over. */
async function claimObject({ db, site }: Context, storageKey: string): Promise<void> {
  const row = await db.get(
    sql`select 1 as kept from _stored_content
      where storage_key = ${storageKey} and ${isKept(db, site.clock)}${lockClause(db.dialect, 'remove')}`,
  );
  if (!row) throw new ServiceError('DoesNotExistError', 'It is no longer in quarantine');
}

/**
 * The document and the field of it that decide who may read the file; nothing when one of them is gone. A document that
 * got the name later is another one.
 */
async function attachment(
  { db, doctypes, user, site }: Context,
  { file, since }: Quarantined,
): Promise<Fields> {
  const to = file?.attachedTo;
  const doctype = to ? doctypes.find(to.doctype) : undefined;
  if (!to || !doctype || !carriesFiles(doctype)) return {};
  if (to.field !== '' && !mayWriteField(doctypes, user, doctype, to.field)) return {};
  const found = await db.get(
    sql`select 1 as found from ${ident(doctype.name)} where name = ${nameKey(doctype, to.name)}
        and creation <= ${formatTimestamp(since * 1_000, site.config.timeZone)}`,
  );
  if (!found) return {};
  return {
    attached_to_doctype: to.doctype,
    attached_to_name: to.name,
    attached_to_field: to.field || null,
  };
}

async function hasUser({ db }: Context, name: string): Promise<boolean> {
  return (await db.get(sql`select 1 as found from "User" where name = ${name}`)) !== undefined;
}

async function isFolder({ db }: Context, name: string): Promise<boolean> {
  const found = await db.get(sql`select 1 as found from "File" where name = ${name} and is_folder = 1`);
  return found !== undefined;
}
