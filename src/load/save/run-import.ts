import type { Provenance } from '../../access/audit.ts';
import type { CurrentUser } from '../../access/user.ts';
import type { Site } from '../../document/contract.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Fields } from '../../kernel/value.ts';
import { checkLoad, endCheck } from '../check-load.ts';
import { Claim } from '../claim.ts';
import { type DataLoad, type LoadCounts, type NewLoad, readLoad } from '../data-load.ts';
import { countEntries } from '../ledger.ts';
import type { SourceFile } from '../record.ts';
import { runLoad } from '../run-load.ts';
import { undoLoad } from '../undo-load.ts';
import { saveCheck } from './check-records.ts';
import { fileSource, sourceId } from './file-source.ts';
import {
  type ImportPlan,
  type ImportRequest,
  importTargets,
  requireImport,
  storedPlan,
} from './import-plan.ts';
import { saveApplier } from './save-applier.ts';
import type { SaveOptions } from './save-options.ts';

export interface ImportRun {
  readonly site: Site;
  readonly load: DataLoad;
  readonly file: SourceFile;
  readonly user: CurrentUser;
  readonly origin: Provenance;
  /** Names this run, if it has claimed the load already. */
  readonly runner?: string;
  /** Ends the run after the batch at hand; another run goes on. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (counts: LoadCounts, part: number | null) => void;
}

/**
 * Goes on with an ordinary import: checks it while its status is `Checking`, and stores its records while it is
 * `Running`. An import that stores all or nothing is checked first, and undone if a record fails nevertheless. Resolves
 * to the load as it is then.
 * @throws ServiceError when it cannot go on; the load is `Failed` then
 */
export async function runImport(run: ImportRun): Promise<DataLoad> {
  const { site, load } = run;
  const claim = new Claim(site, load.name, load.status, run.runner);
  await claim.during(async () => {
    if (await claim.takeNow()) await checkAndSave(run, claim);
  });
  return readLoad(site.database.reader, load.name);
}

async function checkAndSave(run: ImportRun, claim: Claim): Promise<void> {
  const { site, load, user, signal, onProgress } = run;
  const doctype = site.doctypes.get(load.doctype ?? '');
  const plan = storedPlan(load.options);
  requireImport(user, doctype, plan);
  const options = saveOptionsOf(run);
  const targets = importTargets(user, site.doctypes, doctype);
  const source = fileSource(run.file, plan, targets, { doctype: doctype.name, keyField: options.keyField });
  const onCounts = (counts: LoadCounts) => onProgress?.(counts, source.part());
  const shared = { site, source, onProgress: onCounts, ...(signal && { signal }) };
  const isAllOrNone = plan.onError === 'none';
  const isChecked = (await countEntries(site.database.reader, load.name)).size > 0;
  if (load.status === 'Checking' || (isAllOrNone && !isChecked)) {
    const check = { ...shared, load, claim, batch: LIMITS.importBatch, check: saveCheck(options) };
    const counts = await checkLoad(check);
    if (counts === null) return;
    if (load.status === 'Checking' || counts.failed > 0) return endCheck(check, counts);
  }
  const mine = { load: load.name, applier: saveApplier(options), runner: claim.runner };
  const { status } = await runLoad({ ...shared, ...mine, isAllOrNone });
  if (isAllOrNone && status === 'Undoing') await undoLoad({ site, ...mine, ...(signal && { signal }) });
}

/** How the records of an import are saved. */
export function saveOptionsOf({
  site,
  load,
  user,
  origin,
}: Pick<ImportRun, 'site' | 'load' | 'user' | 'origin'>): SaveOptions {
  const { hooks, webhooks } = storedPlan(load.options);
  const doctype = site.doctypes.get(load.doctype ?? '');
  const { mode, keyField } = load;
  return { site, user, origin, doctype, mode, keyField: keyField ?? 'name', hooks, webhooks };
}

/** What the `Data Load` of a new import states. */
export function newImport(
  file: SourceFile,
  doctype: string,
  plan: ImportPlan,
  { mode, keyField = 'name' }: Pick<ImportRequest, 'mode' | 'keyField'>,
) {
  return {
    kind: 'Import',
    source: file.name,
    sourceId: sourceId(file, doctype),
    doctype,
    format: plan.form.format,
    mode,
    keyField,
    mapping: Object.fromEntries(plan.columns.map(({ key, target }) => [key, target])),
    options: plan as unknown as Fields,
  } as const satisfies NewLoad;
}
