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
  /** Little comes at once, much as a stream: destroying that releases everything it holds. */
  readonly body: Readable | Buffer;
}

export interface ListedObject {
  readonly key: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly modifiedAt: number;
  /** Put through this very `Storage`: it may belong to an upload that is still under way. */
  readonly ours: boolean;
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
  /** Null when there is no such object. The range must lie within it: otherwise reading fails. */
  open(key: string, range?: ByteRange): Promise<OpenedObject | null>;
  stat(key: string): Promise<{ readonly bytes: number } | null>;
  /** Succeeds also when there is no such object. */
  delete(key: string): Promise<void>;
  /** Absolute path where another program of this machine finds the object; absent where it is not a file. */
  pathOf?(key: string): string;
  /** Every object and every leftover of an interrupted `put`, in no order. */
  list(): AsyncIterable<ListedObject>;
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
