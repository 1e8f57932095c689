import { pruneGrants } from '../../access/oauth-grant.ts';
import { pruneSessions } from '../../access/session.ts';
import { pruneAttempts } from '../../access/throttle.ts';
import { pruneTokens } from '../../access/token.ts';
import type { Site } from '../../document/contract.ts';
import { prunePartials } from '../../file/partial-content.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { waited } from '../../kernel/wait.ts';
import { retentionRules } from '../../standard/history/retention.ts';
import { pruneReplies } from '../stored-replies.ts';
import { scrubResponses } from './scrub-responses.ts';

/** Milliseconds. The first run is soon after the start, for sites that never run for long. */
const FIRST = 60_000;
const EVERY = 60 * 60 * 1000;
/** Lets others write between two batches. */
const PAUSE = 20;

/**
 * Deletes expired records periodically, until it is stopped. The configuration sets how long they are kept.
 */
export function startRetention(site: FileSite): () => Promise<void> {
  const abort = new AbortController();
  const running = run(site, abort.signal);
  return async () => {
    abort.abort();
    await running;
  };
}

async function run(site: FileSite, signal: AbortSignal): Promise<void> {
  for (let delay = FIRST; await waited(delay, signal); delay = EVERY) {
    await observed(site, 'masking credentials in logged responses', () => scrubResponses(site, signal));
    await observed(site, 'deleting old records', () => pruneOldRecords(site, signal));
  }
}

/** The failure of one task does not prevent the others. */
async function observed(site: FileSite, where: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    site.observe({ kind: 'unexpected', where, error });
  }
}

/** Deletes all expired records, in batches of their own transactions. Resolves to the number of records. */
export async function pruneOldRecords(site: FileSite, signal?: AbortSignal): Promise<number> {
  let total = 0;
  const policy = { idle: site.settings.sessionIdle, life: site.settings.sessionLife };
  const others = [
    { records: 'Idempotency-Key', prune: () => pruneReplies(site) },
    { records: 'attempts to sign in', prune: () => prunedBy(site, pruneAttempts) },
    { records: 'one-time tokens', prune: () => prunedBy(site, pruneTokens) },
    { records: 'unfinished uploads', prune: () => prunePartials(site) },
    { records: 'OAuth grants', prune: () => prunedBy(site, pruneGrants) },
    { records: 'sessions', prune: () => prunedBy(site, (...given) => pruneSessions(...given, policy)) },
  ];
  for (const { records, prune } of [...retentionRules(site), ...others]) {
    let deleted = 0;
    while (!signal?.aborted) {
      const batch = await prune();
      if (batch === 0) break;
      deleted += batch;
      await waited(PAUSE, signal);
    }
    if (deleted > 0) site.observe({ kind: 'records_pruned', records, deleted });
    total += deleted;
  }
  return total;
}

function prunedBy({ database, clock }: Site, prune: typeof pruneTokens): Promise<number> {
  return database.transaction((connection) => prune(connection, clock, LIMITS.pruneBatch));
}
