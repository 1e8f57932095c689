import { checkLog } from './sqlite/restore.ts';
import { DamagedBackup } from './store/damaged-backup.ts';
import { type Manifest, partsOf } from './store/manifest.ts';
import { PLACES, type Repository } from './store/repository.ts';

/** The objects of a backup that are missing, by their names: a quick look, which reads no bytes. */
export async function missingObjects(repository: Repository, manifest: Manifest): Promise<readonly string[]> {
  const parts = await missingIn(repository, PLACES.data, new Set(partsOf(manifest)));
  // Without the parts that list them, the files are unknown.
  if (parts.length > 0) return parts;
  return missingIn(repository, PLACES.files, new Set(await repository.filesOf(manifest)));
}

async function missingIn(
  repository: Repository,
  place: string,
  wanted: Set<string>,
): Promise<readonly string[]> {
  for await (const { name } of repository.target.list(place))
    wanted.delete(name.slice(name.lastIndexOf('/') + 1));
  return [...wanted].map((id) => `${place}${id}`);
}

/**
 * Reads every object of a backup, the log that follows it, and the files that this brings, and compares their content;
 * yields what is missing or damaged, a line each.
 */
export async function* verifyBackup(
  repository: Repository,
  manifest: Manifest,
  progress: (objects: number, total: number) => void,
): AsyncGenerator<string> {
  const parts = new Set(partsOf(manifest));
  let total = parts.size + manifest.files.objects;
  let objects = 0;
  const check = async (work: () => Promise<unknown>): Promise<string | null> => {
    objects += 1;
    progress(objects, total);
    try {
      await work();
      return null;
    } catch (error) {
      if (error instanceof DamagedBackup) return error.message;
      throw error;
    }
  };
  for (const id of parts) {
    const problem = await check(() => repository.getPart(id));
    if (problem !== null) yield problem;
  }
  const files = await repository.filesOf(manifest).catch((error: unknown) => {
    // Said above: a part of the list is damaged.
    if (error instanceof DamagedBackup) return new Set<string>();
    throw error;
  });
  total = parts.size + files.size;
  for (const id of files) {
    const problem = await check(() => repository.checkFile(id));
    if (problem !== null) yield problem;
  }
  const { database } = manifest;
  if (!('pages' in database)) return;
  total += 1;
  const brought = new Set<string>();
  const problem = await check(() => checkLog(repository, database, brought));
  if (problem !== null) yield problem;
  const later = [...brought].map((digest) => repository.fileId(digest)).filter((id) => !files.has(id));
  total += later.length;
  for (const id of later) {
    const damage = await check(() => repository.checkFile(id));
    if (damage !== null) yield damage;
  }
}
