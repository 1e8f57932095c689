import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { adminUiFiles, type FileList } from '../../scripts/admin-ui.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The admin UI of this checkout's sources, built when it is not there yet. `CHANCERY_TEST_ADMIN_UI=built`
 * takes whatever is there: for running tests again and again while sources change.
 */
export function builtAdminUi(): FileList {
  const found = adminUiFiles();
  if (found && process.env['CHANCERY_TEST_ADMIN_UI'] === 'built') return found;
  // In a process of its own, as a start does it.
  const ran = spawnSync(process.execPath, ['scripts/build-admin.ts', '--if-stale'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const list = adminUiFiles();
  if (list === null) throw new Error(`the admin UI is not built\n${ran.stdout}${ran.stderr}`);
  return list;
}
