import { pipeline, Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { ServiceError } from '../../kernel/errors.ts';
import { clearBytes, type Passphrase } from './bytes.ts';

/** A file in a tar of a site. */
export interface TarFile {
  /** As Frappe names it: `/files/logo.png` or `/private/files/contract.pdf`. */
  readonly url: string;
  readonly size: number;
  /** The bytes; read them before the next file. */
  readonly content: AsyncIterable<Buffer>;
}

/**
 * The files of a tar of a backup, one after the other, as a stream. Entries outside the folders of files are left
 * out.
 */
export async function* tarFiles(path: string, passphrase: Passphrase): AsyncGenerator<TarFile> {
  const entries = extract();
  pipeline(Readable.from(clearBytes(path, passphrase), { objectMode: false }), entries, () => undefined);
  try {
    for await (const entry of entries) {
      const { name, type, size = 0 } = entry.header;
      const url = type === 'file' ? urlOf(name) : null;
      if (url === null) entry.resume();
      else yield { url, size, content: entry as AsyncIterable<Buffer> };
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError('ValidationError', `${path} is damaged: ${reason}`);
  }
}

/** `./site/public/files/a/b.png` is `/files/a/b.png`; null for a path outside the folders of files. */
export function urlOf(name: string): string | null {
  const found = /(?:^|\/)(public|private)\/files\//.exec(name);
  const [all, place] = found ?? [];
  const rest = found && all ? name.slice(found.index + all.length) : '';
  if (rest === '' || rest.split('/').includes('..')) return null;
  return place === 'public' ? `/files/${rest}` : `/private/files/${rest}`;
}
