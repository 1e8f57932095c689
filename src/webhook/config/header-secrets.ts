import { deleteSecret, isMask, loadSecret, PASSWORD_MASK, writeSecret } from '../../access/secret.ts';
import { sql } from '../../db/sql.ts';
import type { Document } from '../../doctype/doctype.ts';
import type { Change } from '../../document/change.ts';
import type { Context, Site } from '../../document/contract.ts';
import { rowsOf } from '../../document/document.ts';
import type { WebhookHeader } from '../send/header-rules.ts';
import { isSensitive } from '../send/header-rules.ts';

/**
 * Takes header values that may be credentials out of a webhook before it is stored. They are kept encrypted,
 * like its secret, and the row shows asterisks. Asterisks sent back leave the stored value unchanged.
 * @returns what is wrong: asterisks where nothing is stored
 */
export async function hideHeaders(doc: Document, ctx: Context, change: Change): Promise<string[]> {
  const problems: string[] = [];
  const stored = await storedFields(ctx, doc.name);
  const kept = new Set<string>();
  for (const row of rowsOf(doc, 'webhook_headers')) {
    const key = String(row['key'] ?? '').trim();
    const value = String(row['value'] ?? '');
    if (!isSensitive(key) || value.trim() === '') continue;
    const field = fieldOf(key);
    kept.add(field);
    if (!isMask(value)) {
      await writeSecret(ctx.site, ctx.db, 'Webhook', doc.name, field, value);
      row['value'] = PASSWORD_MASK;
      change.secrets = ['webhook_headers'];
    } else if (!stored.has(field)) {
      problems.push(`Webhook Header Row #${row.idx}: the value of ${key} is unknown: enter it again`);
    }
  }
  for (const field of stored) {
    if (!kept.has(field)) await deleteSecret(ctx.db, 'Webhook', doc.name, field);
  }
  return problems;
}

/** The headers to send, with hidden values restored. Throws when a hidden value cannot be read. */
export async function revealHeaders(
  site: Site,
  webhook: string,
  headers: readonly WebhookHeader[],
): Promise<readonly WebhookHeader[]> {
  const revealed: WebhookHeader[] = [];
  for (const { key, value } of headers) {
    if (!isSensitive(key) || !isMask(value)) {
      revealed.push({ key, value });
      continue;
    }
    const clear = await loadSecret(site, site.database.reader, 'Webhook', webhook, fieldOf(key));
    if (clear === null) throw new Error(`the value of header ${key} is not stored`);
    revealed.push({ key, value: clear });
  }
  return revealed;
}

const PREFIX = 'header:';

function fieldOf(key: string): string {
  return PREFIX + key.toLowerCase();
}

async function storedFields(ctx: Context, webhook: string): Promise<ReadonlySet<string>> {
  const rows = await ctx.db.all(
    sql`select "fieldname" from "_secret" where "doctype" = 'Webhook' and "name" = ${webhook}`,
  );
  return new Set(rows.map((row) => String(row['fieldname'])).filter((field) => field.startsWith(PREFIX)));
}
