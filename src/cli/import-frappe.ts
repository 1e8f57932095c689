import { readFileSync } from 'node:fs';
import { backupFiles } from '../frappe/input/backup-files.ts';
import type { Passphrase } from '../frappe/input/bytes.ts';
import { openDatabase } from '../frappe/input/read-database.ts';
import { builtInDoctypes } from '../frappe/plan/built-in.ts';
import { makePlan } from '../frappe/plan/make-plan.ts';
import { renderPlan } from '../frappe/plan/render-plan.ts';
import { type Invocation, UsageError } from './command.ts';

/** The words and flags of `chancery import` for a backup of Frappe. */
export const FRAPPE_USAGE =
  'frappe <backup> [<file>] [<file>] [<file>] [--plan] [--json] [--passphrase-file <path>]';

/** `chancery import frappe`: plans the import of a backup. */
export async function importFrappe({ flags, words, print }: Invocation): Promise<number> {
  if (flags['plan'] !== true) throw new UsageError('--plan is missing: the import itself is not there yet');
  const files = backupFiles(words.slice(1));
  const database = await openDatabase(files.database, passphraseOf(flags['passphrase-file']));
  const plan = await makePlan(database, builtInDoctypes());
  if (flags['json'] === true) print(JSON.stringify(plan, null, 2));
  else for (const line of renderPlan(plan)) print(line);
  return 0;
}

function passphraseOf(path: unknown): Passphrase {
  if (typeof path !== 'string') return null;
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`--passphrase-file: ${error instanceof Error ? error.message : error}`);
  }
}
