/** Stores text by key between visits: localStorage, or a stand-in of tests. */
export interface Memory {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Destination of a file. */
export interface UploadTarget {
  readonly folder: string;
  readonly isPrivate: boolean;
  /** The document that the file is attached to. */
  readonly attachedTo?: { readonly doctype: string; readonly docname: string; readonly fieldname?: string };
}

/** Identifies a file and its destination, so that a file chosen again finds its upload. */
export interface Fingerprint {
  readonly user: string;
  readonly fileName: string;
  readonly bytes: number;
  readonly lastModified: number;
  readonly target: UploadTarget;
}

const KEY = 'chancery.uploads';
/** The server deletes unfinished uploads after a day. */
const LIFE = 24 * 60 * 60 * 1000;
const MOST = 50;

interface Entry {
  readonly key: string;
  readonly url: string;
  readonly at: number;
}

/** Addresses of unfinished uploads. A file chosen again after a reload resumes its upload. */
export class RememberedUploads {
  readonly #memory: Memory;
  readonly #now: () => number;

  constructor(memory: Memory, now: () => number = Date.now) {
    this.#memory = memory;
    this.#now = now;
  }

  find(of: Fingerprint): string | null {
    const key = keyOf(of);
    return this.#entries().find((entry) => entry.key === key)?.url ?? null;
  }

  remember(of: Fingerprint, url: string): void {
    const key = keyOf(of);
    const rest = this.#entries().filter((entry) => entry.key !== key);
    this.#store([...rest, { key, url, at: this.#now() }].slice(-MOST));
  }

  forget(of: Fingerprint): void {
    const key = keyOf(of);
    this.#store(this.#entries().filter((entry) => entry.key !== key));
  }

  #entries(): readonly Entry[] {
    try {
      const stored: unknown = JSON.parse(this.#memory.getItem(KEY) ?? '[]');
      const since = this.#now() - LIFE;
      return Array.isArray(stored) ? stored.filter(isEntry).filter((entry) => entry.at > since) : [];
    } catch {
      return [];
    }
  }

  #store(entries: readonly Entry[]): void {
    try {
      if (entries.length === 0) this.#memory.removeItem(KEY);
      else this.#memory.setItem(KEY, JSON.stringify(entries));
    } catch {
      // Uploads work without storage, too.
    }
  }
}

function keyOf({ user, fileName, bytes, lastModified, target }: Fingerprint): string {
  const { folder, isPrivate, attachedTo } = target;
  const { doctype = '', docname = '', fieldname = '' } = attachedTo ?? {};
  return JSON.stringify([
    user,
    fileName,
    bytes,
    lastModified,
    folder,
    isPrivate,
    doctype,
    docname,
    fieldname,
  ]);
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { key, url, at } = value as Readonly<Record<string, unknown>>;
  return typeof key === 'string' && typeof url === 'string' && typeof at === 'number';
}
