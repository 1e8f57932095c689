import type { Readable } from 'node:stream';

export interface PutLimits {
  /** More bytes than this are refused. */
  readonly maxBytes: number;
}

/** What was written, durably. */
export interface StoredObject {
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The first bytes, at most `HEAD_BYTES`: enough to tell what they are. */
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
   * Little comes at once, much as a stream. The stream has all the bytes or fails. Whoever opens one reads it to its end or
   * destroys it: that releases everything it holds.
   */
  readonly body: Readable | Buffer;
}

export interface ListedObject {
  readonly key: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly modifiedAt: number;
  readonly bytes: number;
  /** Put through this very `Storage`: it may belong to an upload that is still under way. */
  readonly ours: boolean;
}

/** A place of the storage for objects that may be needed again: `open` and `list` do not find them there. */
export interface Quarantine {
  /** Moves an object there. Succeeds also when there is no such object. */
  add(key: string): Promise<void>;
  /** Moves it back, unless there is one under its key again. */
  restore(key: string): Promise<void>;
  /** Succeeds also when it is not there. */
  delete(key: string): Promise<void>;
  list(): AsyncIterable<{ readonly key: string; readonly bytes: number }>;
}

/** Where bytes live, by a key that nobody can guess and that says nothing about them. */
export interface Storage {
  /** A fresh key. */
  newKey(): string;
  /**
   * Resolves once the bytes are durable. When it rejects nothing is left behind.
   * @throws ServiceError MaxFileSizeReachedError, InsufficientStorageError; and whatever `stream` fails with
   */
  put(key: string, stream: Readable, limits: PutLimits): Promise<StoredObject>;
  /**
   * Null when there is no such object.
   * @throws ShortObjectError when the range does not lie within it; when bytes are lost later, the stream fails with it
   */
  open(key: string, range?: ByteRange): Promise<OpenedObject | null>;
  stat(key: string): Promise<{ readonly bytes: number } | null>;
  /** Succeeds also when there is no such object. */
  delete(key: string): Promise<void>;
  /** Absolute path where another program of this machine finds the object; absent where it is not a file. */
  pathOf?(key: string): string;
  /** Every object and every leftover of an interrupted `put`, in no order. */
  list(): AsyncIterable<ListedObject>;
  /** Absent where objects in quarantine stay in place, and the database alone knows of them. */
  readonly quarantine?: Quarantine;
  /** Bytes that are free; null where that cannot be told, absent where there is no such limit. */
  free?(): Promise<number | null>;
  /** What `writeMark` wrote last; null when it never did. */
  readMark(): Promise<string | null>;
  /** Notes whose storage this is. Without `replace` a mark that is there stays, as far as the store can tell. */
  writeMark(text: string, options: { readonly replace: boolean }): Promise<void>;
  /** A url that opens the object for everybody who has it, for so long; absent where the store has no urls. */
  presign?(key: string, shown: PresignedAs): Promise<string>;
  /** Gives connections back. Nothing else may be called then. */
  close?(): void;
}

/** What a presigned url answers with, besides the bytes. */
export interface PresignedAs {
  readonly seconds: number;
  readonly contentType: string;
  /** `Content-Disposition`. */
  readonly disposition: string;
}
