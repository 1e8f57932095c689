import type { Config } from '../config/config.ts';
import { madeDoctypes } from '../frappe/carry/define.ts';
import { type OwnDoctype, ownDoctypes } from '../frappe/plan/own-doctypes.ts';
import type { SourceDefinitions } from '../frappe/plan/source-definitions.ts';
import { mayHaveDatabase } from '../site/data-directory.ts';
import { StartError } from '../site/start-error.ts';
import { withOpenSite } from './with-site.ts';

/** The doctypes of a source that the site of `config` has already, for a plan; null when there is no site. */
export async function ownDoctypesOf(
  config: Config,
  definitions: SourceDefinitions,
  sourceId: () => string | Promise<string>,
): Promise<readonly OwnDoctype[] | null> {
  if (!mayHaveDatabase(config)) return null;
  try {
    return await withOpenSite(config, async (site) =>
      ownDoctypes(site.doctypes, definitions, await madeDoctypes(site.database.reader, await sourceId())),
    );
  } catch (error) {
    // There is a database, but no site in it yet, or none that this version can open: the import will say so.
    if (error instanceof StartError) return null;
    throw error;
  }
}
