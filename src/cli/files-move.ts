import { type FilesPlace, parseFilesPlace } from '../config/files-place.ts';
import { copyFiles } from '../file/copy-files.ts';
import { systemRandom } from '../kernel/random.ts';
import { copierInside, filesPlaceOf, openStorage } from '../site/open-storage.ts';
import { bindFiles, refuseOthersFiles } from '../site/start/bind-files.ts';
import { type Invocation, UsageError } from './command.ts';
import { withOpenSite } from './with-site.ts';

/**
 * `chancery files move`: copies all stored files to another location. Resolves to 1 when some copies failed.
 */
export async function moveFiles({ config, print }: Invocation, wanted: string): Promise<number> {
  const from = filesPlaceOf(config);
  const place = placeNamed(wanted);
  if (JSON.stringify(place) === JSON.stringify(from)) throw new UsageError('The files are already there');
  return withOpenSite(config, async (site) => {
    const to = await openStorage(place, systemRandom(), { report: print, isPatient: true });
    const inside = await copierInside(from, place);
    try {
      const copying = { from: site.storage, to, inside: inside?.copy };
      const files = { config, place, storage: to, observe: site.observe };
      await refuseOthersFiles(files, site.database);
      const { copied, bytes, already, problems } = await copyFiles(site.database.reader, copying);
      await bindFiles(files, site.database, { isCopy: true });
      for (const problem of problems) print(problem);
      print(`${copied} objects (${bytes} bytes) were copied; ${already} were already there.`);
      if (problems.length > 0) {
        print(`${problems.length} could not be copied. chancery files check names their files`);
        return 1;
      }
      print(
        'The files also stay in the old place. Stop the server, run this again to copy files uploaded since,',
      );
      print('set files to the new place, and start the server.');
      return 0;
    } finally {
      inside?.close();
      to.close?.();
    }
  });
}

function placeNamed(text: string): FilesPlace {
  try {
    return parseFilesPlace(text, process.cwd());
  } catch (error) {
    throw new UsageError(`The new place ${error instanceof Error ? error.message : error}`);
  }
}
