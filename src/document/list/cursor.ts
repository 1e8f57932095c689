import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { FieldValue } from '../../kernel/value.ts';
import { describeOrder } from '../../query/compile-keyset.ts';
import type { ListQuery } from '../../query/list-query.ts';
import type { Site } from '../contract.ts';

const SIGNATURE = 16;

type CursorSite = Pick<Site, 'secretKey'>;

/**
 * The cursor of the row with these values: opaque, signed, and valid for this order of this doctype. Null
 * when the values are too long for a URL.
 */
export function writeCursor(
  site: CursorSite,
  query: ListQuery,
  values: readonly FieldValue[],
): string | null {
  const text = Buffer.from(JSON.stringify(values));
  const cursor = Buffer.concat([signature(site, query, text), text]).toString('base64url');
  return cursor.length <= LIMITS.cursorLength ? cursor : null;
}

/** @throws ServiceError ValidationError for a cursor that `writeCursor` did not write for this order */
export function parseCursor(site: CursorSite, query: ListQuery, cursor: unknown): readonly FieldValue[] {
  if (typeof cursor === 'string' && cursor.length <= LIMITS.cursorLength && /^[\w-]+$/.test(cursor)) {
    const bytes = Buffer.from(cursor, 'base64url');
    const text = bytes.subarray(SIGNATURE);
    const given = bytes.subarray(0, SIGNATURE);
    if (given.length === SIGNATURE && timingSafeEqual(given, signature(site, query, text))) {
      return JSON.parse(text.toString()) as FieldValue[];
    }
  }
  throw new ServiceError(
    'ValidationError',
    'after is not a cursor of this list: a cursor needs the doctype and the order_by of the list that returned it',
  );
}

function signature(site: CursorSite, query: ListQuery, text: Buffer): Buffer {
  const hmac = createHmac('sha256', site.secretKey);
  return hmac
    .update('list cursor\n')
    .update(describeOrder(query))
    .update('\n')
    .update(text)
    .digest()
    .subarray(0, SIGNATURE);
}
