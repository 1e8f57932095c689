import { sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import type { Mailer } from './mailer.ts';

/** What the System Managers must know. `path`: the page about it, on this site. */
export interface Notice {
  readonly subject: string;
  readonly text: string;
  readonly path: string;
}

/** Notifies the System Managers of a site: in the log and, where mail is configured, by mail. */
export function notifyManagers(
  site: Pick<Site, 'database' | 'config' | 'observe'>,
  mailer: Mailer,
  { subject, text, path }: Notice,
): void {
  site.observe({ kind: 'warning', message: text });
  if (!mailer.isConfigured) return;
  const body = `${text}\n\n${site.config.siteUrl}${path}\n`;
  void managers(site).then(
    (addresses) => {
      for (const to of addresses) mailer.later(async () => ({ to, subject, text: body }));
    },
    (error: unknown) => site.observe({ kind: 'unexpected', where: `mailing about ${subject}`, error }),
  );
}

/** The greatest number of System Managers that get a mail. */
const MOST = 20;

async function managers(site: Pick<Site, 'database'>): Promise<string[]> {
  const rows = await site.database.reader.all(
    sql`select u."email" from "User" u where u."enabled" = 1 and u."email" is not null and exists (
          select 1 from "Has Role" r
          where r."parent" = u."name" and r."parenttype" = 'User' and r."role" = 'System Manager')
        order by u."name" limit ${MOST}`,
  );
  return rows.map((row) => String(row['email'])).filter((address) => address.includes('@'));
}
