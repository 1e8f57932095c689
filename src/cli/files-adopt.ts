import { audit, COMMAND_LINE } from '../access/audit.ts';
import { ADMINISTRATOR } from '../access/user.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { collectOrphans } from '../file/collect-orphans.ts';
import { restoreKnown } from '../file/quarantine.ts';
import { sampleObjects } from '../file/sample-objects.ts';
import { isSameMark, parseMark, type SiteMark } from '../file/site-mark.ts';
import { filesPlaceOf } from '../site/open-storage.ts';
import { placeName, rebindFiles, wantedMark } from '../site/start/bind-files.ts';
import { isOlder } from '../site/start/files-used.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import type { Invocation } from './command.ts';
import { confirm } from './confirm.ts';
import { withOpenSite } from './with-site.ts';

/**
 * `chancery files adopt`: binds the stored files to this database after a restore, move or copy, and restores
 * known files from quarantine. `--set-aside` moves unknown files to quarantine. Resolves to 1 without
 * confirmation.
 */
export function adoptFiles({ config, flags, print }: Invocation): Promise<number> {
  const isYes = flags['yes'] === true;
  return withOpenSite(config, async (site) => {
    const place = filesPlaceOf(config);
    const files = { config, place, storage: site.storage, observe: site.observe };
    const former = parseMark(await site.storage.readMark());
    const wanted = await wantedMark(files, site.database);
    const { known, unknown } = await sampleObjects(site.database.reader, site.storage);
    print(`The files in ${placeName(place)} are bound to ${describe(former, wanted)}.`);
    print(`Of the checked files, the database knows ${known} and does not know ${unknown}.`);
    const isOther = !isSameMark(former, wanted) || former?.storage !== wanted.storage;
    if (isOther || (former !== null && (await isOlder(site.database, former)))) {
      const question = isOther
        ? 'Bind them to this database? No server can then use them with another database, or others with this one.'
        : 'Accept this older state? Webhooks of later changes may be sent again, and ended sessions work again.';
      if (!(await confirm(question, isYes))) return 1;
      const { used: _, ...binding } = wanted;
      const details = {
        from_site: former?.site ?? null,
        from_database: former?.database ?? null,
        ...binding,
      };
      // Written first, so that the log covers every action.
      await unitOfWork(
        site,
        ADMINISTRATOR,
        (ctx) => audit(ctx, { event: 'files_adopted', details }),
        COMMAND_LINE,
      );
      await rebindFiles(files, site.database);
      print('The files are bound to this database.');
    }
    const restored = await restoreKnown(site, site.storage);
    if (restored > 0) print(`${restored} files were restored from quarantine.`);
    return flags['set-aside'] === true ? setAside(site, isYes, print) : 0;
  });
}

async function setAside(site: OpenSite, isYes: boolean, print: Invocation['print']): Promise<number> {
  const question = 'Set aside the files that the database does not know? They are deleted after seven days.';
  if (!(await confirm(question, isYes))) return 1;
  // A server may be running on the same site.
  const { quarantined } = await collectOrphans(site, site.storage, { alone: false, most: true });
  print(`${quarantined} files are in quarantine.`);
  return 0;
}

function describe(mark: SiteMark | null, wanted: SiteMark): string {
  if (mark === null) return 'no database yet';
  if (isSameMark(mark, wanted)) {
    if (mark.used > wanted.used) return 'a later state of this database';
    return mark.storage === wanted.storage
      ? 'this database'
      : 'this database, which has another place for files';
  }
  return mark.site === wanted.site ? 'another copy of this database' : `another site (${mark.site})`;
}
