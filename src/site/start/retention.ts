import { pruneGrants } from '../../access/oauth-grant.ts';
import { pruneSessions } from '../../access/session.ts';
import { pruneAttempts } from '../../access/throttle.ts';
import { pruneTokens } from '../../access/token.ts';
import type { Site } from '../../document/contract.ts';
import { prunePartials } from '../../file/partial-content.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { JOBS, type JobName } from '../../kernel/jobs.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { waited } from '../../kernel/wait.ts';
import { retentionRules } from '../../standard/history/retention.ts';
import { pruneReplies } from '../stored-replies.ts';
import { scrubResponses } from './scrub-responses.ts';

/** Milliseconds. The first run is soon after the start, for sites that never run for long. */
const FIRST = 60_000;
/** Lets others write between two batches. */
const PAUSE = 20;

/**
 * Deletes expired records periodically, until it is stopped. The configuration sets how long they are kept.
 */
export function startRetention(site: FileSite): () => Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  const running = [
    repeat(site, 'mask_logged_responses', signal, () => scrubResponses(site, signal)),
    repeat(site, 'delete_expired_records', signal, () => pruneOldRecords(site, signal)),
  ];
  return async () => {
    abort.abort();
    await Promise.all(running);
  };
}

/** The failure of one run does not prevent the next one. */
async function repeat(
  site: FileSite,
  name: JobName,
  signal: AbortSignal,
  work: () => Promise<unknown>,
): Promise<void> {
  const job = site.jobs.job(name);
  for (let delay = FIRST; await job.due(delay, signal); delay = JOBS[name]) {
    try {
      await job.run(work);
    } catch (error) {
      site.observe({ kind: 'unexpected', where: name.replaceAll('_', ' '), error });
    }
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
