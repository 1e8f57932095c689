import { randomBytes } from 'node:crypto';
import { type BackupResult, pruneBackups } from '../backup/backup.ts';
import { engineOf } from '../backup/engines.ts';
import { chooseState } from '../backup/restore.ts';
import type { Manifest } from '../backup/store/manifest.ts';
import type { Repository } from '../backup/store/repository.ts';
import { verifyBackup } from '../backup/verify.ts';
import type { Config } from '../config/config.ts';
import { size } from '../kernel/quantity.ts';
import { directUrl } from '../site/data-directory.ts';
import { makeBackup, recordFailure } from '../site/make-backup.ts';
import { keyFileContent, secretKeyFile } from '../site/settings/key-file.ts';
import { SITE_ID } from '../site/settings/secret-key.ts';
import { loadSettings } from '../site/settings/settings-table.ts';
import { placeName } from '../site/start/bind-files.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { rehearseSite } from '../site/start/rehearse-site.ts';
import { backupPlace, withRepository } from './backup-place.ts';
import { type Command, type Invocation, runAction, UsageError } from './command.ts';
import { describeBackup } from './describe-backup.ts';
import { showCopying, showProgress } from './show-progress.ts';
import { withOpenSite } from './with-site.ts';

export const backupCommand: Command = {
  help: 'back up the running site, or list, verify, prune and rehearse its backups',
  usage: [
    'list [--to <place>]',
    'verify [<backup>] [--to <place>]',
    'prune [--to <place>]',
    'rehearse [--to <place>]',
    'new-key',
    '[--to <place>] [--with-secret-key]',
  ],
  run: (invocation) =>
    invocation.words.length === 0 ? backUpSite(invocation) : runAction(ACTIONS, invocation),
};

const ACTIONS: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  list: listBackups,
  verify,
  prune: pruneOld,
  rehearse,
  'new-key': newKey,
};

/** `chancery backup`: resolves to 1 when files of the site are missing or damaged, and so not in the backup. */
async function backUpSite(invocation: Invocation): Promise<number> {
  const { config, flags, print } = invocation;
  const withKeys = flags['with-secret-key'] === true;
  if (withKeys && config.backup.key === null) {
    throw new UsageError(
      '--with-secret-key needs encrypted backups: set backup.key. chancery backup new-key makes one',
    );
  }
  const place = backupPlace(config, 'to', flags['to']);
  return withSiteBackups(invocation, async (site, repository) => {
    const progress = showCopying();
    let made: BackupResult;
    try {
      made = await makeBackup({
        ...{ site, repository, progress },
        engine: engineOf(directUrl(config), site.clock),
        secretKeys: withKeys ? keyFileContent(config) : null,
      });
    } catch (error) {
      await recordFailure(site, error);
      throw error;
    } finally {
      progress.end();
    }
    const { manifest, problems, leftOut } = made;
    print(`Backup ${manifest.name} is in ${placeName(place)}.`);
    print(`It holds ${describeBackup(manifest, config)}.`);
    if (leftOut.length > 0) {
      print(`It leaves out what others have added to the schema: ${leftOut.join(', ')}.`);
    }
    for (const line of keyAdvice(config, manifest)) print(line);
    for (const problem of problems) print(problem);
    if (problems.length === 0) return 0;
    print(
      `${problems.length} files are not in it: the file storage does not have their bytes. See chancery files check`,
    );
    return 1;
  });
}

/** What must be kept elsewhere to use the backup. */
function keyAdvice(config: Config, { secretKeys }: Manifest): string[] {
  const keys: string[] = [];
  if (secretKeys === undefined) {
    keys.push(config.secretKey === null ? secretKeyFile(config) : 'the setting secretKey');
  }
  if (config.backup.key !== null) keys.push('the backup key (backup.key)');
  return keys.length === 0
    ? []
    : [`Not in it, so keep it elsewhere, where a fire here does not reach: ${keys.join(' and ')}.`];
}

async function listBackups({ config, flags, print }: Invocation): Promise<number> {
  return withRepository(config, backupPlace(config, 'to', flags['to']), async (repository) => {
    let damaged = 0;
    for (const name of await repository.names()) {
      try {
        print(`${name}  ${describeBackup(await repository.manifest(name), config)}`);
      } catch (error) {
        damaged += 1;
        print(`${name}  ${error instanceof Error ? error.message : error}`);
      }
    }
    return damaged === 0 ? 0 : 1;
  });
}

/** Reads all objects of a backup, the newest by default. Resolves to 1 when one is missing or damaged. */
async function verify({ config, flags, words, print }: Invocation): Promise<number> {
  return withRepository(config, backupPlace(config, 'to', flags['to']), async (repository) => {
    const { manifest, damaged } = await chooseState(repository, { name: words[1] ?? null, at: null });
    for (const problem of damaged) print(problem);
    const { show, end } = showProgress();
    let problems = damaged.length;
    for await (const problem of verifyBackup(repository, manifest, (done, all) =>
      show(`${done} of ${all} objects`),
    )) {
      problems += 1;
      end();
      print(problem);
    }
    end();
    const state = problems === damaged.length ? 'intact' : 'damaged';
    print(`Backup ${manifest.name} with ${describeBackup(manifest, config)}: ${state}.`);
    return problems === 0 ? 0 : 1;
  });
}

async function pruneOld(invocation: Invocation): Promise<number> {
  return withSiteBackups(invocation, async (site, repository) => {
    const { backups, objects, bytes } = await pruneBackups(site, repository, invocation.config.backup);
    invocation.print(`${backups.length} backups and ${objects} objects (${size(bytes)}) were deleted.`);
    return 0;
  });
}

/** Restores the newest backup into a scratch place and checks it. Resolves to 1 when it finds a problem. */
function rehearse(invocation: Invocation): Promise<number> {
  return withSiteBackups(invocation, async (site, repository) => {
    const { status, backup, rows, documents, files, problems } = await rehearseSite(site, repository);
    for (const problem of problems) invocation.print(problem);
    if (status !== 'Skipped' && backup !== null) {
      invocation.print(
        `Backup ${backup}: restored ${rows} rows, compared ${documents} documents, read ${files} files: ` +
          `${status === 'Succeeded' ? 'intact' : 'damaged'}.`,
      );
    }
    return status === 'Succeeded' ? 0 : 1;
  });
}

async function newKey({ print }: Invocation): Promise<number> {
  print(randomBytes(32).toString('base64'));
  process.stderr.write(
    'Set it as backup.key, and keep a copy elsewhere. Without it, nobody can read backups that it encrypts.\n',
  );
  return 0;
}

/** Works with the backups of an existing site. */
function withSiteBackups<T>(
  { config, flags }: Invocation,
  work: (site: OpenSite, repository: Repository) => Promise<T>,
): Promise<T> {
  const place = backupPlace(config, 'to', flags['to']);
  return withOpenSite(config, async (site) => {
    const id = (await loadSettings(site.database.reader)).get(SITE_ID);
    return withRepository(config, place, (repository) => work(site, repository), id);
  });
}
