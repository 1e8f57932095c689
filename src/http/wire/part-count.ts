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
  // The body may begin with a delimiter. This line break stands before it.
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
    const bytes = Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (;;) {
      const found = bytes.indexOf(this.#delimiter, from);
      const end = found + this.#delimiter.length;
      if (found === -1 || end + 2 > bytes.length) {
        this.#rest = bytes.subarray(
          found === -1 ? Math.max(from, bytes.length - this.#delimiter.length + 1) : found,
        );
        return;
      }
      this.#isClosed = bytes[end] === DASH && bytes[end + 1] === DASH;
      if (this.#isClosed) return;
      this.parts += 1;
      from = end;
    }
  }
}
