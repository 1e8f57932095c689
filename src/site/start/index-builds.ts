import type { Site } from '../../document/contract.ts';
import { JOBS } from '../../kernel/jobs.ts';
import { areIndexesPending, buildIndexes } from '../schema/migration/build-indexes.ts';

/** The longest pause after failed builds; milliseconds. */
const LONGEST_PAUSE = 60 * 60_000;

/**
 * Builds the indexes of large tables beside the server's work, until it is stopped. PostgreSQL finishes the build
 * that runs then.
 */
export function startIndexBuilds(site: Site): () => Promise<void> {
  const { database, observe } = site;
  const abort = new AbortController();
  const job = site.jobs.job('build_indexes');
  const build = async () => {
    if (!(await areIndexesPending(database.reader))) return 0;
    return buildIndexes(database, site.doctypes, observe, 'skip');
  };
  const running = (async () => {
    for (let pause = 0; await job.due(pause, abort.signal); ) {
      try {
        await job.run(build);
        pause = JOBS.build_indexes;
      } catch (error) {
        if (abort.signal.aborted) return;
        // A build that fails again and again reads the whole table each time.
        pause = Math.min(LONGEST_PAUSE, 2 * Math.max(pause, JOBS.build_indexes));
        observe({ kind: 'unexpected', where: 'building indexes', error });
      }
    }
  })();
  return async () => {
    abort.abort();
    database.indexBuilds?.abandon();
    await running;
  };
}
