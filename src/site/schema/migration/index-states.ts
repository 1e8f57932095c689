import type { Connection } from '../../../db/database.ts';
import { loadIndexNames } from '../../../db/describe.ts';
import type { IndexSpec } from '../../../db/dialect.ts';
import { type RunningBuild, runningBuilds } from '../../../db/index-progress.ts';
import type { DoctypeRegistry } from '../../../doctype/doctype.ts';
import { tableOn } from '../../../doctype/schema-plan.ts';

/** An index of a doctype that the database does not read yet. */
export interface UnreadyIndex {
  readonly doctype: string;
  readonly index: IndexSpec;
  /** `interrupted`: its build was killed and left a part of it. */
  readonly state: 'waiting' | 'building' | 'interrupted';
  /** Of an index that is being built. */
  readonly build: RunningBuild | null;
}

/** The indexes of doctypes that are missing, being built, or left by an interrupted build. */
export async function unreadyIndexes(
  connection: Connection,
  registry: DoctypeRegistry,
): Promise<UnreadyIndex[]> {
  // The builds first: one that ends in between has its index then.
  const builds = await runningBuilds(connection);
  const names = await loadIndexNames(connection);
  return registry
    .all()
    .filter((doctype) => !doctype.is_virtual)
    .flatMap((doctype) =>
      tableOn(connection.dialect.name, doctype)
        .indexes.filter(({ name }) => names.get(name) !== true)
        .map((index) => {
          const build = builds.find((each) => each.index === index.name) ?? null;
          const state = build ? 'building' : names.has(index.name) ? 'interrupted' : 'waiting';
          return { doctype: doctype.name, index, state, build };
        }),
    );
}
