import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';

/** The boundary in a content type. */
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i;
const DASH = 0x2d;

/**
 * Counts the parts of a multipart body while it arrives. The parser leaves out parts without the header that
 * names them, so a form would lose fields or files unnoticed.
 */
export class PartCount {
  /** The parts so far. */
  parts = 0;
  readonly #delimiter: Buffer | null;
  // The end of the bytes so far, which may begin a delimiter. The body may begin with a delimiter. This line
  // break stands before it.
  #rest: Buffer = Buffer.from('\r\n');
  #isClosed = false;

  /** @throws ServiceError BadRequestError for a long boundary, for which a hostile body would be slow to search */
  constructor(contentType: string) {
    const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
    const boundary = quoted ?? bare;
    if (boundary !== undefined && boundary.length > LIMITS.multipartBoundary) {
      throw new ServiceError(
        'BadRequestError',
        `A multipart boundary may have at most ${LIMITS.multipartBoundary} characters`,
      );
    }
    this.#delimiter = boundary === undefined ? null : Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  add(chunk: Buffer): void {
    if (!this.#delimiter || this.#isClosed) return;
    // A delimiter and the two bytes behind it.
    const longest = this.#delimiter.length + 2;
    const seam = Buffer.concat([this.#rest, chunk.subarray(0, longest - 1)]);
    const searched = this.#search(seam, this.#delimiter);
    if (this.#isClosed) return;
    if (chunk.length < longest) {
      this.#rest = seam.subarray(searched);
      return;
    }
    // No delimiter that begins in the rest is open any more, so the chunk is searched without a copy.
    const end = this.#search(chunk, this.#delimiter, searched - this.#rest.length);
    // Copied, because the rest would keep the whole chunk in memory.
    if (!this.#isClosed) this.#rest = Buffer.from(chunk.subarray(end));
  }

  /** Counts the delimiters from `from` on. Returns the place where a delimiter may begin that is not whole. */
  #search(bytes: Buffer, delimiter: Buffer, start = 0): number {
    let from = start;
    for (;;) {
      const found = bytes.indexOf(delimiter, from);
      if (found === -1) return Math.max(from, bytes.length - delimiter.length + 1);
      const end = found + delimiter.length;
      if (end + 2 > bytes.length) return found;
      this.#isClosed = bytes[end] === DASH && bytes[end + 1] === DASH;
      if (this.#isClosed) return end;
      this.parts += 1;
      from = end;
    }
  }
}
