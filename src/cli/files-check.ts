import { type Checked, checkFiles } from '../file/check-files.ts';
import { quarantineFigures, restoreKnown } from '../file/quarantine.ts';
import type { Invocation } from './command.ts';
import { withOpenSite } from './with-site.ts';

/**
 * `chancery files check`: reads all stored files and compares them with their records. Resolves to 1 when
 * bytes are missing, damaged, or in the wrong place. Leftover files are no failure; the server collects them.
 */
export function checkStoredFiles({ config, print }: Invocation): Promise<number> {
  return withOpenSite(config, async (site) => {
    const restored = await restoreKnown(site, site.storage);
    if (restored > 0) print(`${restored} objects that files need were restored from quarantine`);
    const checked: Checked = { objects: 0, bytes: 0 };
    let problems = 0;
    let leftOver = 0;
    for await (const { problem, url, place } of checkFiles(site, checked)) {
      if (problem === 'left over') {
        leftOver += 1;
        continue;
      }
      problems += 1;
      print(`${problem}: ${url === null ? place : `${url} (${place})`}`);
    }
    if (leftOver > 0) {
      print(
        `${leftOver} objects belong to no file: uploads in progress, or leftovers that the server will collect`,
      );
    }
    const { unknown, deleted } = await quarantineFigures(site.database.reader);
    if (unknown.objects + deleted.objects > 0) {
      print(
        `In quarantine: ${deleted.objects} objects of deleted files, ${unknown.objects} that belong to no file`,
      );
    }
    print(`${checked.objects} objects with ${checked.bytes} bytes checked, ${problems} problems`);
    return problems === 0 ? 0 : 1;
  });
}
