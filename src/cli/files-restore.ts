import type { Document } from '../doctype/doctype.ts';
import { restoreKnown } from '../file/quarantine.ts';
import { listQuarantined, type Quarantined, restoreQuarantined } from '../file/restore-quarantined.ts';
import { ServiceError } from '../kernel/errors.ts';
import { size } from '../kernel/quantity.ts';
import { filesPlaceOf } from '../site/open-storage.ts';
import { refuseOthersFiles } from '../site/start/bind-files.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { type Invocation, UsageError } from './command.ts';
import { timeOf } from './time-of.ts';
import { withOpenSite } from './with-site.ts';

/**
 * `chancery files restore`: brings Files back whose bytes are in quarantine; without a name it lists them. Resolves to
 * 1 when nothing has that name, or one could not be brought back.
 */
export function restoreStoredFiles(invocation: Invocation): Promise<number> {
  const { config, flags, words, print } = invocation;
  const [, wanted] = words;
  const isAll = flags['all'] === true;
  if (wanted === '') throw new UsageError('The name of the file is empty');
  if (isAll && wanted !== undefined) throw new UsageError('Name a file, or --all, and not both');
  return withOpenSite(config, async (site) => {
    const place = filesPlaceOf(config);
    await refuseOthersFiles({ config, place, storage: site.storage, observe: site.observe }, site.database);
    const known = await restoreKnown(site, site.storage);
    if (known > 0) print(`${known} objects that files need were restored from quarantine.`);
    if (!isAll && wanted === undefined) return list(site, invocation);
    if (wanted !== undefined && (await isAmbiguous(site, wanted, print))) return 1;
    let [done, failed] = [0, 0];
    for await (const object of listQuarantined(site.database.reader, site)) {
      if (isAll ? object.file === null : !isMeant(object, wanted ?? '')) continue;
      if (await bringBack(site, object, print)) done += 1;
      else failed += 1;
    }
    if (done + failed === 0) {
      print(isAll ? 'No deleted File is in quarantine.' : `Nothing in quarantine is ${wanted}.`);
      return isAll ? 0 : 1;
    }
    print(`Files that came back: ${done}.${failed > 0 ? ` Files that did not: ${failed}.` : ''}`);
    return failed === 0 ? 0 : 1;
  });
}

async function list(site: OpenSite, { config, print }: Invocation): Promise<number> {
  let [objects, bytes] = [0, 0];
  for await (const object of listQuarantined(site.database.reader, site)) {
    objects += 1;
    bytes += object.bytes;
    print(`${describe(object)}, until ${timeOf(object.until, config)}`);
  }
  print(`In quarantine: ${objects === 1 ? '1 object' : `${objects} objects`} (${size(bytes)}).`);
  if (objects > 0) {
    print('chancery files restore <file> brings one back: its File, its file name, its SHA-256 or its key.');
    print('chancery files restore --all brings all deleted Files back.');
  }
  return 0;
}

/** True when several objects have the name, which are then listed: they may be files of several people. */
async function isAmbiguous(site: OpenSite, wanted: string, print: Invocation['print']): Promise<boolean> {
  const meant: Quarantined[] = [];
  for await (const object of listQuarantined(site.database.reader, site))
    if (isMeant(object, wanted)) meant.push(object);
  if (meant.length < 2) return false;
  for (const object of meant) print(describe(object));
  print(
    `${meant.length} files in quarantine are ${wanted}: name the one that you mean by the word before the colon.`,
  );
  return true;
}

/** `4f1c20ab77: report.pdf, 12.3 MB, SHA-256 9f86d081884c…, deleted File of Ticket TICK-00007` */
function describe({ storageKey, bytes, isDeleted, file }: Quarantined): string {
  if (file === null) {
    const why = isDeleted ? 'without a File' : 'the database did not know it';
    return `${storageKey}: ${size(bytes)}, ${why}`;
  }
  const { name, fileName, sha256, attachedTo } = file;
  const of = attachedTo ? ` of ${attachedTo.doctype} ${attachedTo.name}` : '';
  return `${name}: ${fileName}, ${size(bytes)}, SHA-256 ${sha256.slice(0, 12)}…, deleted File${of}`;
}

function isMeant({ storageKey, file }: Quarantined, wanted: string): boolean {
  if (storageKey === wanted) return true;
  if (file === null) return false;
  const isDigest = /^[0-9a-f]{12,64}$/i.test(wanted) && file.sha256.startsWith(wanted.toLowerCase());
  return isDigest || file.name === wanted || file.fileName === wanted;
}

async function bringBack(site: OpenSite, object: Quarantined, print: Invocation['print']): Promise<boolean> {
  const what = object.file?.fileName ?? object.storageKey;
  try {
    const doc = await restoreQuarantined(site, object);
    print(`${what} → ${outcome(object, doc)}`);
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    print(`${what}: not restored. ${error.message}`);
    return false;
  }
}

/** `/files/report.pdf (File 4f1c20ab77 of Ticket TICK-00007)` */
function outcome({ file }: Quarantined, doc: Document): string {
  const to = doc['attached_to_name'] ? ` of ${doc['attached_to_doctype']} ${doc['attached_to_name']}` : '';
  const { attachedTo } = file ?? {};
  const lost =
    attachedTo && to === ''
      ? `; ${attachedTo.doctype} ${attachedTo.name} does not exist any more, or does not take it`
      : '';
  return `${doc['file_url']} (File ${doc.name}${to})${lost}`;
}
