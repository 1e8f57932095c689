/**
 * A process that runs a load, and kills itself after so many records, in the middle of a transaction or between two.
 * Arguments: the configuration as JSON, the load, the file, the records, the milliseconds after them.
 */

import { sourceFile } from '../../src/cli/source-file.ts';
import type { Config } from '../../src/config/config.ts';
import { ndjsonSource } from '../../src/load/ndjson-source.ts';
import { runLoad } from '../../src/load/run-load.ts';
import { storeApplier } from '../../src/load/store/store-applier.ts';
import { openSite } from '../../src/site/start/open-site.ts';
import { storeOptions } from '../support/load.ts';

const [config = '{}', load = '', file = '', records = '0', millis = '0'] = process.argv.slice(2);
const site = await openSite(JSON.parse(config) as Config, { tool: true });
const applier = storeApplier(storeOptions(site));
let first: number | null = null;
await runLoad({
  ...{ site, load, source: ndjsonSource(await sourceFile(file)) },
  // Small batches, so that there are many places to be killed at.
  applier: (of) => ({ ...applier(of), batch: 20 }),
  onProgress({ done }) {
    first ??= done;
    if (done - first >= Number(records))
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(millis));
  },
});
await site.close();
