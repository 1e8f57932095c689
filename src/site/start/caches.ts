import type { CacheKind, Site } from '../../document/contract.ts';
import { forgetNamingRules } from '../../document/naming/naming-rules.ts';
import type { Siblings } from '../siblings.ts';
import type { Access } from './open-access.ts';

/** Drops the caches of this worker when another one asks for it. */
export function dropWhenAsked(site: Site, access: Access, siblings: Siblings): void {
  for (const kind of KINDS) {
    siblings.answer(topicOf(kind), () => {
      site.database.refresh?.(kind === 'definitions');
      return dropHere(kind, site, access);
    });
  }
}

/** Drops the caches of the other workers: a writer that died may have changed something and told nobody. */
export async function dropAmongSiblings(siblings: Siblings): Promise<void> {
  for (const kind of KINDS) await siblings.ask(topicOf(kind));
}

/** `Site.dropCaches`. */
export async function dropEverywhere(
  kind: CacheKind,
  site: Site,
  access: Access,
  siblings: Siblings,
): Promise<void> {
  // The transaction that changed definitions has replaced those of this process.
  if (kind !== 'definitions') void dropHere(kind, site, access);
  await siblings.ask(topicOf(kind));
}

const KINDS: readonly CacheKind[] = ['users', 'definitions', 'naming rules'];

async function dropHere(kind: CacheKind, site: Site, { authenticator, follower }: Access): Promise<void> {
  if (kind === 'users') authenticator.forget();
  else if (kind === 'naming rules') forgetNamingRules(site);
  else await follower?.look();
}

function topicOf(kind: CacheKind): string {
  return `drop ${kind}`;
}
