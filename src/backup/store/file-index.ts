/** Bytes of an id. */
const ID_BYTES = 32;
/** The most ids of a part: 4 MiB. */
const MOST_IDS = 128 * 1024;

/**
 * Parts that list ids of files, in order. A part ends behind an id whose last bits are zero, about every 4,096
 * ids, so that a new file changes one part.
 */
export function* packIds(ids: Iterable<string>): Generator<Buffer> {
  let packed: Buffer[] = [];
  for (const id of [...ids].sort()) {
    const bytes = Buffer.from(id, 'hex');
    packed.push(bytes);
    const isEnd = (bytes.readUInt16BE(ID_BYTES - 2) & 0x0fff) === 0;
    if (!isEnd && packed.length < MOST_IDS) continue;
    yield Buffer.concat(packed);
    packed = [];
  }
  if (packed.length > 0) yield Buffer.concat(packed);
}

/** The ids of a part. */
export function* unpackIds(part: Buffer): Generator<string> {
  for (let at = 0; at < part.length; at += ID_BYTES) yield part.toString('hex', at, at + ID_BYTES);
}
