import type { PartStore } from '../store/repository.ts';
import type { Definitions } from './catalog.ts';

/** The statements that make a schema; names are without it. */
export type CopiedSchema = Pick<Definitions, 'extensions' | 'before' | 'after'>;

/** Bytes of one part. */
const PART = 1024 * 1024;

/** Stores the statements; resolves to the ids of the parts. */
export async function putSchema(store: PartStore, definitions: CopiedSchema): Promise<readonly string[]> {
  const { extensions, before, after } = definitions;
  const bytes = Buffer.from(JSON.stringify({ extensions, before, after } satisfies CopiedSchema));
  const ids: string[] = [];
  for (let at = 0; at < bytes.length; at += PART)
    ids.push(await store.putPart(bytes.subarray(at, at + PART)));
  return ids;
}

/** The statements in these parts, which this program has stored and the store has verified. */
export async function getSchema(store: PartStore, ids: readonly string[]): Promise<CopiedSchema> {
  const parts: Buffer[] = [];
  for (const id of ids) parts.push(await store.getPart(id));
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as CopiedSchema;
}
