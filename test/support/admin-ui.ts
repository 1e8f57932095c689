import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { adminUiFiles, type FileList } from '../../scripts/admin-ui.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The admin UI of this checkout's sources, built when it is not there yet. */
export function builtAdminUi(): FileList {
  // In a process of its own, as a start does it.
  const ran = spawnSync(process.execPath, ['scripts/build-admin.ts', '--if-stale'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const list = adminUiFiles();
  if (list === null) throw new Error(`the admin UI is not built\n${ran.stdout}${ran.stderr}`);
  return list;
}
