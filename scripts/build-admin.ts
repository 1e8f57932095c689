/**
 * `npm run build:admin`: the admin UI in `dist/admin`. With `--if-stale`, as before a start, only when its
 * sources are others than those of what is there; and what cannot be built then keeps no server from
 * starting.
 */
import { buildAdminUi, CannotBuild } from './admin-ui.ts';

const ifStale = process.argv.includes('--if-stale');
try {
  const done = await buildAdminUi({ always: !ifStale });
  if (done !== null) console.log(done);
} catch (error) {
  if (!(error instanceof CannotBuild)) throw error;
  console.error(error.message);
  if (!ifStale) process.exitCode = 1;
}
