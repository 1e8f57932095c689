import type { Site } from '../document/contract.ts';
import { type LoadStatus, writeLoad } from './data-load.ts';

/** Milliseconds between two signs of life: well below the silence after which another server takes a load over. */
const SIGN = 5_000;

/**
 * Shows that this run works on a load, also while a batch or the checks at its end take long, so that no other server
 * takes it over. Returns the function that ends this.
 */
export function keepClaim(site: Site, load: string, status: LoadStatus, runner: string): () => Promise<void> {
  let last: Promise<void> | null = null;
  const show = async () => {
    try {
      await site.database.transaction((db) => writeLoad(site, db, load, {}, [status], runner));
    } catch (error) {
      site.observe({ kind: 'unexpected', where: 'load', error });
    }
    last = null;
  };
  const timer = setInterval(() => {
    last ??= show();
  }, SIGN);
  return async () => {
    clearInterval(timer);
    await last;
  };
}
