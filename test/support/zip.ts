import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';

/** A file for an archive; a path that ends in `/` is a folder. */
export interface Packed {
  readonly path: string;
  readonly text: string | Buffer;
  /** Unix mode. */
  readonly mode?: number;
}

/** A zip archive of these, compressed. */
export async function pack(files: readonly Packed[]): Promise<Buffer<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const { path, text, mode } of files) {
    if (path.endsWith('/')) zip.addEmptyDirectory(path);
    else
      zip.addBuffer(typeof text === 'string' ? Buffer.from(text) : text, path, {
        compress: true,
        ...(mode === undefined ? {} : { mode }),
      });
  }
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** The files in an archive, by their paths. */
export async function unpack(archive: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const zip = await fromBufferPromise(archive, { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    const stream = await zip.openReadStreamPromise(entry);
    files.set(entry.fileName, await buffer(stream));
  }
  return files;
}
