import { ZipFile } from 'yazl';

/** A file for an archive; a path that ends in `/` is a folder. */
export interface Packed {
  readonly path: string;
  readonly text: string;
  /** Unix mode. */
  readonly mode?: number;
}

/** A zip archive of these, compressed. */
export async function pack(files: readonly Packed[]): Promise<Buffer<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const { path, text, mode } of files) {
    if (path.endsWith('/')) zip.addEmptyDirectory(path);
    else zip.addBuffer(Buffer.from(text), path, { compress: true, ...(mode === undefined ? {} : { mode }) });
  }
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
