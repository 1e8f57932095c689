import type { CurrentUser } from '../../access/user.ts';
import type { ChildRow, DocType, Document } from '../../doctype/doctype.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/value.ts';
import type { Context } from '../contract.ts';
import type { Loaded } from '../document.ts';
import { digestOfLevels } from '../load/entity-tag.ts';
import { isShared, separateStamp } from '../stamp.ts';

/** The length of a time without microseconds. */
const SECONDS = 'YYYY-MM-DD HH:MM:SS'.length;

/** The state of the document that the caller expects, as in its `ETag`. */
export interface Expectation {
  /** Fails with PreconditionFailedError unless this is the stored revision. */
  readonly ifMatch?: number | undefined;
  /** With `ifMatch`: the restore that it was read after; null for none. Fails unless it is the site's. */
  readonly ifMatchRestored?: string | null | undefined;
  /** Also fails unless this is the digest of the fields above permlevel 0 that the user may see. */
  readonly ifMatchDigest?: string | undefined;
}

/**
 * Checks a stored document, or for the reader null one as it is shown.
 * @throws ServiceError PreconditionFailedError when it is not in the expected state
 */
export function checkRevision(
  ctx: Context,
  stored: Loaded,
  expectation: Expectation,
  reader: CurrentUser | null = ctx.user,
): void {
  const { ifMatch, ifMatchDigest, ifMatchRestored = ctx.site.restored } = expectation;
  const isKnown =
    (ifMatch === undefined || (ifMatch === stored.revision && ifMatchRestored === ctx.site.restored)) &&
    (ifMatchDigest === undefined || ifMatchDigest === digestOfLevels(ctx.doctypes, stored.doc, reader));
  if (isKnown) return;
  throw new ServiceError('PreconditionFailedError', 'The document has been modified since it was read');
}

/**
 * Compares the sent `modified` with the stored one, at the precision of the sent one. When several versions
 * have had the same second, a time without microseconds tells nothing: it is refused, and the document gets a
 * time of its own for whoever reads it next.
 * @throws ServiceError TimestampMismatchError
 */
export function checkLatest(
  ctx: Context,
  doctype: DocType,
  before: Document,
  fields: Fields,
  row?: ChildRow,
): void {
  const sent = sentText(fields, 'modified');
  if (sent === null) return;
  const { modified } = row ?? before;
  if (sameMoment(modified, sent)) {
    if (!isShared(modified) || sent.trim().length > SECONDS) return;
    ctx.onRollback(async () => void (await separateStamp(ctx, doctype, before, row)));
  }
  throw new ServiceError(
    'TimestampMismatchError',
    `Error: Document has been modified after you have opened it (${modified}, ${sent.slice(0, 40)}). Please refresh to get the latest document.`,
  );
}

/**
 * A standard text field of the body; null when absent or empty.
 * @throws ServiceError ValidationError when it is not text
 */
export function sentText(fields: Fields, key: string): string | null {
  const sent = Object.hasOwn(fields, key) ? fields[key] : null;
  if (sent === null || sent === undefined || sent === '') return null;
  if (typeof sent !== 'string') throw new ServiceError('ValidationError', `Value for ${key} must be text`);
  return sent;
}

/** True when `sent`, which has a precision of seconds or finer, equals the stored time at that precision. */
export function sameMoment(stored: string, sent: string): boolean {
  const text = sent.trim().replace('T', ' ');
  return text.length >= SECONDS && stored.startsWith(text);
}
