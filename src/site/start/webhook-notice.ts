import type { Site } from '../../document/contract.ts';
import type { Notify } from '../../webhook/worker/disable-webhook.ts';
import type { Mailer } from './mailer.ts';
import { notifyManagers } from './notify-managers.ts';

/**
 * Notifies the System Managers of a site about a webhook, in the log and, where mail is configured, by mail.
 */
export function webhookNotices(site: Pick<Site, 'database' | 'config' | 'observe'>, mailer: Mailer): Notify {
  return (webhook, text) => {
    const path = `/api/resource/Webhook/${encodeURIComponent(webhook)}`;
    notifyManagers(site, mailer, { subject: `Webhook ${webhook}`, text, path });
  };
}
