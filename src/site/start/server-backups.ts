import { pruneBackups } from '../../backup/backup.ts';
import { engineOf } from '../../backup/engines.ts';
import { sqliteEngine } from '../../backup/sqlite/copy.ts';
import type { ContinuousLog } from '../../backup/sqlite/ship-log.ts';
import { startOf } from '../../backup/store/manifest.ts';
import type { Repository } from '../../backup/store/repository.ts';
import { BackupRunning } from '../../file/backup-hold.ts';
import type { FileSite } from '../../file/upload-file.ts';
import { nowMillis } from '../../kernel/clock.ts';
import { JOBS } from '../../kernel/jobs.ts';
import { waited } from '../../kernel/wait.ts';
import { directUrl, sqliteFile } from '../data-directory.ts';
import { makeBackup, recordFailure } from '../make-backup.ts';
import { messageOf } from '../why-unusable.ts';
import { continuousLog } from './continuous-log.ts';
import type { Mailer } from './mailer.ts';
import { notifyManagers } from './notify-managers.ts';
import { withBackups } from './open-backups.ts';

/** The first look is soon after the start; the pauses after a failure. Milliseconds. */
const FIRST = 10_000;
const RETRY = 10 * 60_000;
const RETRY_OF_LOG = 60_000;
/** Milliseconds between two reports of failures. */
const QUIET = 60 * 60_000;

/**
 * Makes backups when they are due, until it is stopped; of several servers, one at a time. On SQLite the log is
 * followed meanwhile, so that every second can be restored.
 */
export function startServerBackups(site: FileSite, mailer: Mailer): () => Promise<void> {
  const abort = new AbortController();
  const running = new ServerBackups(site, mailer, abort.signal).run();
  return async () => {
    abort.abort();
    await running;
  };
}

class ServerBackups {
  readonly #site: FileSite;
  readonly #mailer: Mailer;
  readonly #signal: AbortSignal;
  readonly #log: ContinuousLog | null;
  /** When the next backup is due; milliseconds since the epoch. */
  #due = 0;
  #quietUntil = 0;
  #recording: Promise<unknown> = Promise.resolve();
  #last: Promise<unknown> = Promise.resolve();

  constructor(site: FileSite, mailer: Mailer, signal: AbortSignal) {
    this.#site = site;
    this.#mailer = mailer;
    this.#signal = signal;
    this.#log = continuousLog(site, {
      backUp: () => this.#makeBase(),
      onFailure: (error) => this.#failed(error),
    });
  }

  async run(): Promise<void> {
    this.#log?.start();
    const job = this.#site.jobs.job('make_backup');
    for (let delay = FIRST; await job.due(delay, this.#signal); delay = JOBS.make_backup) {
      const isAsked = job.isAsked;
      try {
        if (isAsked || (await this.#isDue())) await job.run(() => this.#inTurn(() => this.#make()));
      } catch (error) {
        this.#due = nowMillis(this.#site.clock) + RETRY;
        this.#failed(error);
      }
    }
    await this.#last;
    await this.#recording;
    // Last, so that it sends the last changes.
    await this.#log?.stop();
  }

  /** Tells a failure at most once an hour: while the place is away, there is one every few seconds. */
  #failed(error: unknown): void {
    const now = nowMillis(this.#site.clock);
    if (this.#signal.aborted || now < this.#quietUntil || error instanceof BackupRunning) return;
    this.#quietUntil = now + QUIET;
    notifyManagers(this.#site, this.#mailer, {
      subject: 'Backup failed',
      text: `The backup of the site failed: ${messageOf(error)}`,
      path: '/admin/system',
    });
    this.#recording = recordFailure(this.#site, error).catch((failure: unknown) =>
      this.#site.observe({ kind: 'unexpected', where: 'recording a failed backup', error: failure }),
    );
  }

  async #isDue(): Promise<boolean> {
    const { every } = this.#site.config.backup;
    const now = nowMillis(this.#site.clock);
    if (every === 0 || now < this.#due) return false;
    // Another server, or the command, may have made one.
    const newestName = async (repository: Repository) => (await repository.names()).at(-1);
    const newest = await withBackups(this.#site, newestName, this.#signal);
    const made = newest === undefined ? null : startOf(newest);
    this.#due = made === null ? now : made + every;
    return now >= this.#due;
  }

  /** The backup with which the log begins. The log asks again at once after a failure. */
  async #makeBase(): Promise<void> {
    try {
      await this.#inTurn(() => this.#make());
    } catch (error) {
      if (!(error instanceof BackupRunning)) await waited(RETRY_OF_LOG, this.#signal);
      throw error;
    }
  }

  // The log may want one while another one is made.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #make(): Promise<void> {
    const go = () => this.#signal.throwIfAborted();
    go();
    const began = nowMillis(this.#site.clock);
    // Opened anew each time: it knows what the newest backup has.
    const make = async (repository: Repository) => {
      await makeBackup({
        ...{ site: this.#site, repository, secretKeys: null, engine: this.#engine() },
        progress: { database: go, files: go },
        afterwards: () => this.#prune(repository),
      });
      this.#due = began + this.#site.config.backup.every;
      this.#quietUntil = 0;
    };
    return withBackups(this.#site, make, this.#signal);
  }

  #engine() {
    const { config, clock } = this.#site;
    const log = this.#log;
    const path = sqliteFile(config);
    if (log === null || path === null) return engineOf(directUrl(config), clock);
    return sqliteEngine({ path, clock, pin: (open) => log.pin(open) });
  }

  /** Credentials that cannot delete suffice for backups, so a refusal is no failure. */
  async #prune(repository: Repository): Promise<string | null> {
    try {
      await pruneBackups(this.#site, repository, this.#site.config.backup);
      return null;
    } catch (error) {
      return this.#signal.aborted ? null : `Old backups were not deleted: ${messageOf(error)}`;
    }
  }
}
