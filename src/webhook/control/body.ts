import { hash } from 'node:crypto';
import { sql } from '../../db/sql.ts';
import type { Context } from '../../document/contract.ts';
import { requireReadable } from './choose.ts';

/** The bytes that a delivery sends. */
export interface DeliveryBody {
  readonly name: string;
  /** Base64, so that no client alters the bytes by decoding text. */
  readonly body: string;
  readonly bytes: number;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string;
}

/** @throws ServiceError DoesNotExistError, PermissionError */
export async function deliveryBody(ctx: Context, name: string): Promise<DeliveryBody> {
  await requireReadable(ctx, name);
  const row = await ctx.db.get(
    sql`select b."body" from "_webhook_request" b join "_webhook_delivery" d on d."id" = b."delivery"
        where d."name" = ${name}`,
  );
  const bytes = Buffer.from(String(row?.['body'] ?? ''), 'utf8');
  return { name, body: bytes.toString('base64'), bytes: bytes.length, sha256: hash('sha256', bytes) };
}
