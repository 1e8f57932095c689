import type { FastifyReply } from 'fastify';

/** A content coding that the server can apply to a reply. */
export type Coding = 'br' | 'zstd' | 'gzip';

// The smallest first. Browsers give all codings the same weight.
const CODINGS: readonly Coding[] = ['br', 'zstd', 'gzip'];

/**
 * The coding that an `Accept-Encoding` header prefers, of equals the one with the smallest result. Null for a
 * client that asks for none of them.
 */
export function chooseCoding(
  accepted: string | string[] | undefined,
  offers: (coding: Coding) => boolean = () => true,
): Coding | null {
  if (accepted === undefined || accepted === '') return null;
  const weights = new Map(String(accepted).toLowerCase().split(',').map(weighted));
  let chosen: Coding | null = null;
  let most = weights.get('identity') ?? 0;
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    if (weight === 0 || weight < most || (weight === most && chosen !== null) || !offers(coding)) continue;
    chosen = coding;
    most = weight;
  }
  return chosen;
}

function weighted(part: string): readonly [coding: string, weight: number] {
  const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}

/** Tells caches that a reply depends on `Accept-Encoding`. */
export function varyByCoding(reply: FastifyReply): void {
  const vary = String(reply.getHeader('vary') ?? '');
  if (vary.includes(HEADER)) return;
  reply.header('vary', vary === '' ? HEADER : `${vary}, ${HEADER}`);
}

const HEADER = 'Accept-Encoding';

/** The entity tag of a representation in a coding: a strong tag names exact bytes. */
export function codedTag(etag: string, coding: Coding): string {
  return etag.replace(/"$/, `.${coding}"`);
}

/** A condition that names representations in any coding, with the tags of the uncoded ones. */
export function uncodedTags(condition: string): string {
  return condition.replace(/\.(?:br|zstd|gzip)(?=")/g, '');
}
