import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupId, type ImportReport, type ImportStep, importBackup } from '../frappe/carry/import-backup.ts';
import { isComplete } from '../frappe/carry/prove.ts';
import { renderReport } from '../frappe/carry/render-report.ts';
import { type BackupFiles, backupFiles } from '../frappe/input/backup-files.ts';
import type { Passphrase } from '../frappe/input/bytes.ts';
import { fingerprint } from '../frappe/input/fingerprint.ts';
import { openDatabase } from '../frappe/input/read-database.ts';
import { Scratch } from '../frappe/input/scratch.ts';
import { makePlan, openSource } from '../frappe/plan/make-plan.ts';
import { renderPlan } from '../frappe/plan/render-plan.ts';
import { isSiteAddress } from '../frappe/remote/site-address.ts';
import { aboutTime } from '../kernel/quantity.ts';
import { type Invocation, UsageError } from './command.ts';
import { importRemote, sourceZone } from './import-remote.ts';
import { ownDoctypesOf } from './own-doctypes-of.ts';
import { showProgress } from './show-progress.ts';
import { withOpenSite } from './with-site.ts';

/** The words and flags of `chancery import` for a site of Frappe. */
export const FRAPPE_USAGE =
  'frappe <backup or https://site> [<file>] [<file>] [<file>] [--plan] [--json] [--passphrase-file <path>] ' +
  '[--source-time-zone <zone>] [--keep-doctypes] [--key-file <path>] [--plain-http] [--follow] [--until-agreed] ' +
  '[--interval <time>] [--listen <host:port>] [--webhook-secret-file <path>] [--overwrite] [--delete-many]';

/** `chancery import frappe`: plans the import of a backup or a running site, or imports it and proves what came. */
export async function importFrappe(invocation: Invocation): Promise<number> {
  const { config, flags, words, print } = invocation;
  if (isSiteAddress(words[1] ?? '')) return importRemote(invocation);
  const files = backupFiles(words.slice(1));
  const passphrase = passphraseOf(flags['passphrase-file']);
  if (flags['plan'] !== true) return load(invocation, files, passphrase);
  const database = await openDatabase(files.database, passphrase);
  const source = await openSource(database);
  const idOf = async () => backupId(await fingerprint(files.database));
  const plan = await makePlan(database, source, await ownDoctypesOf(config, source.definitions, idOf));
  if (flags['json'] === true) print(JSON.stringify(plan, null, 2));
  else for (const line of renderPlan(plan)) print(line);
  return 0;
}

async function load(
  { config, flags, print }: Invocation,
  files: BackupFiles,
  passphrase: Passphrase,
): Promise<number> {
  const database = await openDatabase(files.database, passphrase);
  const mark = await fingerprint(files.database);
  const path = join(config.data, 'import-frappe.db');
  const progress = showProgress();
  const report = await withOpenSite(
    config,
    async (site) => {
      const scratch = new Scratch(path);
      try {
        const tell = (step: ImportStep) => progress.show(describe(step));
        const source = { files, passphrase, database, fingerprint: mark, timeZone: sourceZone(flags) };
        const isKeeping = flags['keep-doctypes'] === true;
        return await importBackup({ site, ...source, scratch, tell, isKeeping });
      } finally {
        scratch.close();
        progress.end();
      }
    },
    { patient: true },
  );
  if (report === null) {
    print('The import is paused. Call the same command to go on.');
    return 1;
  }
  const kept = keepReport(config.data, mark, report);
  if (flags['json'] === true) print(JSON.stringify(report, null, 2));
  else for (const line of renderReport(report)) print(line);
  print(`The report is in ${kept}.json and ${kept}.txt`);
  return report.documents.failed === 0 && isComplete(report.proof) ? 0 : 1;
}

function keepReport(data: string, mark: string, report: ImportReport): string {
  const folder = join(data, 'imports');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `frappe-${mark.slice(0, 12)}`);
  writeFileSync(`${path}.json`, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  writeFileSync(`${path}.txt`, `${renderReport(report).join('\n')}\n`, { mode: 0o600 });
  return path;
}

function describe(step: ImportStep): string {
  if (step.step === 'loading') {
    const { done, total, rate, remaining } = step.stand;
    const left = remaining === null ? '' : `, ${aboutTime(remaining)} left`;
    return `Loading: ${done} of ${total ?? 'unknown'} documents, ${Math.round(rate)} per second${left}`;
  }
  if (step.step === 'files') return `Files: ${step.files}`;
  if (step.step === 'proving') return `Comparing: ${step.documents} documents`;
  return `${step.step.charAt(0).toUpperCase()}${step.step.slice(1)}`;
}

function passphraseOf(path: unknown): Passphrase {
  if (typeof path !== 'string') return null;
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`--passphrase-file: ${error instanceof Error ? error.message : error}`);
  }
}
