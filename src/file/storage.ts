import type { Readable } from 'node:stream';

export interface PutLimits {
  /** The most bytes accepted. */
  readonly maxBytes: number;
}

/** A durably stored object. */
export interface StoredObject {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The first bytes, at most `HEAD_BYTES`: enough to recognise the type. */
  readonly head: Uint8Array;
}

export const HEAD_BYTES = 4100;

/** Bytes `start` to `end`, both included, as in HTTP. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenedObject {
  /** Length of the body. */
  readonly bytes: number;
  /**
   * A small body is a buffer, which belongs to the caller; a larger one is a stream. The stream delivers all
   * bytes or fails. Read it to its end or destroy it: both release its resources.
   */
  readonly body: Readable | Buffer;
}

export interface ListedObject {
  readonly key: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly modifiedAt: number;
  readonly bytes: number;
  /** Stored through this very `Storage`: its upload may still be in progress. */
  readonly ours: boolean;
}

/** A place for objects that may be needed again: `open` and `list` of the storage do not find them there. */
export interface Quarantine {
  /** Moves an object there. Also succeeds when it does not exist. */
  add(key: string): Promise<void>;
  /** Moves it back, unless its key is in use again. */
  restore(key: string): Promise<void>;
  /** As `Storage.open`. */
  open(key: string, range?: ByteRange): Promise<OpenedObject | null>;
  /** Also succeeds when it is not there. */
  delete(key: string): Promise<void>;
  list(): AsyncIterable<{ readonly key: string; readonly bytes: number }>;
}

/** Stores bytes under keys that nobody can guess and that reveal nothing. */
export interface Storage {
  /** A new key. */
  newKey(): string;
  /**
   * Resolves once the bytes are durable; a buffer is not used afterwards. Leaves nothing behind when it rejects.
   * @throws ServiceError MaxFileSizeReachedError, InsufficientStorageError; and the errors of a stream
   */
  put(key: string, content: Readable | Buffer, limits: PutLimits): Promise<StoredObject>;
  /**
   * Null when the object does not exist.
   * @throws ShortObjectError when the range exceeds it; if bytes are lost later, the stream fails with it
   */
  open(key: string, range?: ByteRange): Promise<OpenedObject | null>;
  stat(key: string): Promise<{ readonly bytes: number } | null>;
  /** Also succeeds when the object does not exist. */
  delete(key: string): Promise<void>;
  /** Absolute path of the object for other programs on this machine; absent if it is not a file. */
  pathOf?(key: string): string;
  /** Every object, and the remains of interrupted `put`s, in no order. */
  list(): AsyncIterable<ListedObject>;
  /** Absent if objects in quarantine stay in place, and only the database knows of them. */
  readonly quarantine?: Quarantine;
  /** Free bytes; null if unknown, absent if there is no limit. */
  free?(): Promise<number | null>;
  /** The last mark written; null without any. */
  readMark(): Promise<string | null>;
  /**
   * Records which site owns this storage. Without `replace` an existing mark stays, as far as the store can
   * check.
   */
  writeMark(text: string, options: { readonly replace: boolean }): Promise<void>;
  /**
   * A url that opens the object for every holder, for a limited time; absent if the store has no such urls.
   */
  presign?(key: string, shown: PresignedAs): Promise<string>;
  /** Closes connections. Call nothing else afterwards. */
  close?(): void;
}

/** The response headers of a presigned url. */
export interface PresignedAs {
  readonly seconds: number;
  readonly contentType: string;
  /** `Content-Disposition`. */
  readonly disposition: string;
}
