import { partsOf } from './manifest.ts';
import { FRESH, PLACES, type Repository } from './repository.ts';
import { type Keep, type Retained, retained } from './retention.ts';
import { type TargetObject, UNFINISHED } from './target.ts';

/** The names that a repository gives. Whatever else is below its place belongs to somebody else. */
const OURS = /^(?:(?:data|files)\/([0-9a-f]{2})\/\1[0-9a-f]{62}|log\/[\w-]+\/\d+|tmp\/[\w-]+)$/;

/** The result of pruning. */
export interface Pruned {
  /** Names of the deleted backups. */
  readonly backups: readonly string[];
  /** Deleted objects, and their bytes. */
  readonly objects: number;
  readonly bytes: number;
}

/**
 * Deletes backups and log beyond `keep`, and what then belongs to no backup. Objects of the last day stay: a backup
 * or the log may be about to need them. Nothing is deleted while a backup is damaged.
 * @throws DamagedBackup; ServiceError when the store refuses to delete
 */
export async function prune(repository: Repository, keep: Keep, now: number): Promise<Pruned> {
  const { target } = repository;
  const manifests = await repository.manifests();
  // Without a backup, nothing says what is needed.
  if (manifests.length === 0) return { backups: [], objects: 0, bytes: 0 };
  const stays = retained(manifests, keep, now);
  const kept = manifests.filter(({ name }) => stays.backups.has(name));
  const parts = new Set(kept.flatMap(partsOf));
  const files = new Set<string>();
  for (const manifest of kept) await repository.filesOf(manifest, files);

  const backups = manifests.map(({ name }) => name).filter((name) => !stays.backups.has(name));
  for (const name of backups) await target.delete(PLACES.backups + name);
  const old = now - 2 * FRESH;
  // A file that came and went between two backups is in no list, but the log needs it.
  const oldFile = Math.min(old, stays.logSince - 2 * FRESH);
  const rules: readonly [string, (object: TargetObject) => boolean][] = [
    [PLACES.data, ({ name, modifiedAt }) => modifiedAt < old && !parts.has(lastOf(name))],
    [PLACES.files, ({ name, modifiedAt }) => modifiedAt < oldFile && !files.has(lastOf(name))],
    [PLACES.log, ({ name, modifiedAt }) => modifiedAt < old && !isNeededLog(name, stays)],
    [UNFINISHED, ({ modifiedAt }) => modifiedAt < old],
  ];
  let [objects, bytes] = [0, 0];
  for (const [place, isLeftOver] of rules) {
    for await (const object of target.list(place)) {
      if (!OURS.test(object.name) || !isLeftOver(object)) continue;
      await target.delete(object.name);
      objects += 1;
      bytes += object.bytes;
    }
  }
  return { backups, objects, bytes };
}

function isNeededLog(name: string, { logs }: Retained): boolean {
  const [epoch = '', sequence] = name.slice(PLACES.log.length).split('/');
  const after = logs.get(epoch);
  return after !== undefined && Number(sequence) > after;
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
