import { after, before, beforeEach } from 'node:test';
import { ident, type Sql, sql } from '../../src/db/sql.ts';
import { startTestSite, type TestSite } from './site.ts';

const TABLES = [
  '_webhook_delivery',
  '_webhook_body',
  '_webhook_text',
  '_webhook_attempt',
  '_webhook_node',
  '_webhook_start',
];

/** A site for the tests of a `describe`, with webhooks of these names and, before each test, nothing to deliver. */
export interface QueueSite {
  /** Filled before the first test. */
  readonly site: TestSite['site'];
  /** Runs one statement in a transaction of its own. */
  run(statement: Sql): Promise<number>;
}

export function useQueueSite(
  engine: Parameters<typeof startTestSite>[0],
  hooks: readonly string[],
): QueueSite {
  let started: TestSite | null = null;
  const siteOf = () => {
    if (!started) throw new Error('the site has not started');
    return started.site;
  };
  const run = (statement: Sql) => siteOf().database.transaction((connection) => connection.run(statement));
  before(async () => {
    started = await startTestSite(engine);
    for (const name of hooks) {
      await run(
        sql`insert into "Webhook" ("name", "webhook_doctype", "enabled") values (${name}, 'User', 1)`,
      );
    }
  });
  after(() => started?.stop());
  beforeEach(async () => {
    for (const table of TABLES) await run(sql`delete from ${ident(table)}`);
  });
  return {
    get site() {
      return siteOf();
    },
    run,
  };
}
