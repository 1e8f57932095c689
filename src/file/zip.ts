import { PassThrough, pipeline, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { requirePermission } from '../access/permission.ts';
import { join, type Sql, sql } from '../db/sql.ts';
import type { Context } from '../document/contract.ts';
import { readableRows } from '../document/list/list.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { parseFileUrl } from './file-name.ts';
import { authoriseFile, openFile } from './serve-file.ts';
import type { Storage } from './storage.ts';

/** A file to include in a zip. */
export interface ZipMember {
  /** In the zip, with `/`. */
  readonly path: string;
  /** Of its File document. */
  readonly name: string;
  readonly storageKey: string;
  readonly bytes: number;
  /** In the site's time zone, as in documents. */
  readonly modified: string;
}

/**
 * The files of a selection: the named ones, and those below the named folders that the user may read. Skips
 * external links, which have no bytes here.
 * @throws ServiceError PermissionError for a named one that is missing or that the user may not read;
 * ValidationError for too many files, too many bytes, or none at all
 */
export async function zipMembers(ctx: Context, names: readonly string[]): Promise<ZipMember[]> {
  const readable = readableFiles(ctx);
  const wanted = [...new Set(names)];
  const rows = wanted.length === 0 ? [] : await readable(sql`name in (${values(wanted)})`);
  const found = new Map(rows.map((row) => [row.name, row]));
  const members: ZipMember[] = [];
  const paths = new UniquePaths();
  let folders: { readonly name: string; readonly path: string }[] = [];
  const take = (row: FileRow, within: string) => {
    if (!row.isFolder && !parseFileUrl(row.fileUrl)) return;
    const path = paths.take(within, segment(row.fileName));
    if (row.isFolder) folders.push({ name: row.name, path: `${path}/` });
    else members.push({ ...row, path });
  };
  for (const name of wanted) {
    const row = found.get(name);
    if (!row) {
      throw new ServiceError('PermissionError', `No permission to use File ${name}`, {
        title: 'Not permitted',
      });
    }
    take(row, '');
  }
  let looked = wanted.length;
  while (folders.length > 0) {
    const level = new Map(folders.map(({ name, path }) => [name, path]));
    folders = [];
    const inside = await readable(sql`folder in (${values([...level.keys()])})`);
    looked += inside.length;
    if (looked > LIMITS.zipFiles) {
      throw new ServiceError(
        'ValidationError',
        `A zip may have at most ${LIMITS.zipFiles} files and folders`,
      );
    }
    for (const row of inside) take(row, level.get(row.folder) ?? '');
  }
  requireSize(members);
  return members;
}

/**
 * The zip of these files, streamed one after the other in constant memory. Nothing is compressed, so the
 * length is known in advance. The first file is opened at once, so that a store that is away fails the call. Each
 * other file is authorised again when its turn comes; one that the user may no longer read, or without bytes, aborts
 * the stream.
 * @throws ServiceError as `openFile`
 */
export async function zipStream(
  ctx: Context,
  storage: Storage,
  members: readonly ZipMember[],
): Promise<{ readonly bytes: number; readonly body: Readable }> {
  const [leader] = members;
  const first = leader ? await open(ctx, storage, leader) : null;
  const zip = new ZipFile();
  const body = new PassThrough();
  let current = first;
  // The zip listens to no member.
  first?.on('error', (error) => body.destroy(error));
  let isOver = false;
  pipeline(zip.outputStream, body, () => {
    isOver = true;
    current?.destroy();
  });
  zip.on('error', (error: Error) => body.destroy(error));
  for (const member of members) {
    const { path, bytes, modified } = member;
    // DOS times have no time zone: they are in the site's.
    const mtime = new Date(modified.slice(0, 19).replace(' ', 'T'));
    const options = { size: bytes, compress: false, mtime, mode: 0o100644, forceDosTimestamp: true };
    zip.addReadStreamLazy(path, options, (give) => {
      if (first && member === leader) return give(null, first);
      open(ctx, storage, member).then(
        (stream) => {
          current = stream;
          stream.on('error', (error) => body.destroy(error));
          if (isOver) stream.destroy();
          else give(null, stream);
        },
        (error: Error) => body.destroy(error),
      );
    });
  }
  const total = await new Promise<number>((resolve) => {
    // Called with the size, although its types differ.
    zip.end({ forceZip64Format: false, comment: '' }, ((size: number) => resolve(size)) as () => void);
  });
  return { bytes: total, body };
}

async function open(ctx: Context, storage: Storage, member: ZipMember): Promise<Readable> {
  await authoriseAgain(ctx, member.name);
  const { body } = await openFile(storage, member);
  return Buffer.isBuffer(body) ? Readable.from([body]) : body;
}

// A File deleted meanwhile stays in the zip, whose length is already sent. One that gets another url after the
// lookup, or is deleted, is looked up again.
async function authoriseAgain(ctx: Context, name: string): Promise<void> {
  for (let refused = ''; ; ) {
    const row = await ctx.db.get(sql`select file_url from "File" where name = ${name}`);
    if (!row) return;
    const url = String(row.file_url);
    try {
      await authoriseFile(ctx, url);
      return;
    } catch (error) {
      if (url === refused) throw error;
      refused = url;
    }
  }
}

interface FileRow {
  readonly name: string;
  readonly fileName: string;
  readonly fileUrl: string;
  readonly folder: string;
  readonly isFolder: boolean;
  readonly storageKey: string;
  readonly bytes: number;
  readonly modified: string;
}

/** Selects Files among those that the user may read. @throws ServiceError PermissionError */
function readableFiles(ctx: Context): (condition: Sql) => Promise<FileRow[]> {
  const doctype = ctx.doctypes.get('File');
  requirePermission(ctx.user, doctype, 'read');
  const filter = readableRows(ctx, doctype);
  const readable = filter ? sql` and (${filter})` : sql``;
  return async (condition) => {
    const rows = await ctx.db.all(
      sql`select name, file_name, file_url, folder, is_folder, file_size, modified,
          (select storage_key from _stored_file stored where stored.file_url = "File".file_url) as storage_key
        from "File" where ${condition}${readable} order by file_name, name limit ${LIMITS.zipFiles + 1}`,
    );
    return rows.map((row) => ({
      name: String(row.name),
      fileName: String(row.file_name ?? row.name),
      fileUrl: String(row.file_url ?? ''),
      folder: String(row.folder ?? ''),
      isFolder: row.is_folder === 1,
      storageKey: String(row.storage_key ?? ''),
      bytes: Number(row.file_size),
      modified: String(row.modified),
    }));
  };
}

function values(names: readonly string[]): Sql {
  return join(names.map((name) => sql`${name}`));
}

/**
 * A path segment that every system accepts: without the characters that Windows forbids, and never `.` or
 * `..`.
 */
function segment(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const plain = name.replace(/[/\\<>:"|?*\x00-\x1f]/g, '_').replace(/(?<![. ])[. ]+$/, '');
  return plain === '' ? '_' : plain;
}

/** Makes names unique, ignoring case: `a.txt`, `a (2).txt`. */
class UniquePaths {
  readonly #taken = new Map<string, number>();

  take(within: string, name: string): string {
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    const first = `${within}${name}`;
    let path = first;
    let count = this.#taken.get(first.toLowerCase()) ?? 1;
    while (this.#taken.has(path.toLowerCase())) {
      count += 1;
      path = `${within}${stem} (${count})${extension}`;
    }
    this.#taken.set(first.toLowerCase(), count);
    this.#taken.set(path.toLowerCase(), this.#taken.get(path.toLowerCase()) ?? 1);
    return path;
  }
}

function requireSize(members: readonly ZipMember[]): void {
  if (members.length === 0) throw new ServiceError('ValidationError', 'There are no files to put into a zip');
  const bytes = members.reduce((sum, member) => sum + member.bytes, 0);
  if (bytes <= LIMITS.zipBytes) return;
  throw new ServiceError('ValidationError', `A zip may have at most ${LIMITS.zipBytes} bytes of files`);
}
