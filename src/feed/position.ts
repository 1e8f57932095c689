import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import type { Dialect } from '../db/dialect.ts';
import { type Sql, sql } from '../db/sql.ts';

/** A position in the change feed: the listener has heard everything up to and including it. See `_change`. */
export interface Position {
  readonly tx: number;
  readonly id: number;
}

/** True when `a` comes after `b`. */
export function isAfter(a: Position, b: Position): boolean {
  return a.tx > b.tx || (a.tx === b.tx && a.id > b.id);
}

/** A condition on rows of `_change` after `from` and up to `through`. */
export function between(dialect: Dialect, from: Position, through: Position): Sql {
  return dialect.name === 'postgres'
    ? sql`("tx", "id") > (${from.tx}, ${from.id}) and ("tx", "id") <= (${through.tx}, ${through.id})`
    : sql`"id" > ${from.id} and "id" <= ${through.id}`;
}

/** The order of `_change`, by its key. */
export function inOrder(dialect: Dialect): Sql {
  return dialect.name === 'postgres' ? sql`order by "tx", "id"` : sql`order by "id"`;
}

const MARK = 0x43484631;
const BLOCK = 16;

/**
 * A position as a token for clients. It is encrypted, because the distance of two positions would reveal the
 * activity in doctypes that the client may not read. One block is a permutation, so the cipher needs no mode.
 */
export function renderToken({ tx, id }: Position, secretKey: Buffer): string {
  const block = Buffer.alloc(BLOCK);
  block.writeUIntBE(tx, 0, 6);
  block.writeUIntBE(id, 6, 6);
  block.writeUInt32BE(MARK, 12);
  const cipher = createCipheriv('aes-256-ecb', positionKey(secretKey), null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
}

/** The position of a token; null for an invalid token. */
export function parseToken(token: string, secretKey: Buffer): Position | null {
  const sealed = /^[\w-]{22}$/.test(token) ? Buffer.from(token, 'base64url') : Buffer.alloc(0);
  if (sealed.length !== BLOCK) return null;
  const decipher = createDecipheriv('aes-256-ecb', positionKey(secretKey), null).setAutoPadding(false);
  const block = Buffer.concat([decipher.update(sealed), decipher.final()]);
  if (block.readUInt32BE(12) !== MARK) return null;
  return { tx: block.readUIntBE(0, 6), id: block.readUIntBE(6, 6) };
}

function positionKey(secretKey: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from('change feed '), secretKey]), 'buffer');
}
