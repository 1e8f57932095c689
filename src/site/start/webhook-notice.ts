import { sql } from '../../db/sql.ts';
import type { Site } from '../../document/contract.ts';
import type { Notify } from '../../webhook/worker/disable-webhook.ts';
import type { Mailer } from './mailer.ts';

/**
 * Notifies the System Managers of a site about a webhook, in the log and, where mail is configured, by mail.
 */
export function webhookNotices(site: Pick<Site, 'database' | 'config' | 'observe'>, mailer: Mailer): Notify {
  return (webhook, text) => {
    site.observe({ kind: 'warning', message: text });
    if (!mailer.isConfigured) return;
    const link = `${site.config.siteUrl}/api/resource/Webhook/${encodeURIComponent(webhook)}`;
    void managers(site).then(
      (addresses) => {
        for (const to of addresses) {
          mailer.later(async () => ({ to, subject: `Webhook ${webhook}`, text: `${text}\n\n${link}\n` }));
        }
      },
      (error: unknown) => site.observe({ kind: 'unexpected', where: 'mailing about a webhook', error }),
    );
  };
}

/** The greatest number of System Managers that get a mail. */
const MOST = 20;

async function managers(site: Pick<Site, 'database'>): Promise<string[]> {
  const rows = await site.database.reader.all(
    sql`select u."email" from "User" u where u."enabled" = 1 and u."email" is not null and exists (select 1 from "Has Role" r
        where r."parent" = u."name" and r."parenttype" = 'User' and r."role" = 'System Manager') order by u."name" limit ${MOST}`,
  );
  return rows.map((row) => String(row['email'])).filter((address) => address.includes('@'));
}
