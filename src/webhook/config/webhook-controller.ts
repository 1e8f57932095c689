import { deleteSecret, isMask, loadSecret, PASSWORD_MASK, writeSecret } from '../../access/secret.ts';
import type { Document } from '../../doctype/doctype.ts';
import type { Context, Controller } from '../../document/contract.ts';
import { textOf } from '../../document/document.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { tlsProblems } from '../../net/tls-material.ts';
import { newSecret } from '../send/sign.ts';
import { hideHeaders } from './header-secrets.ts';
import { dropFormer } from './signing-secrets.ts';
import { addressProblems, problemPlace, tidyWebhook, webhookProblems } from './webhook-problems.ts';
import { reachProblems } from './webhook-reach.ts';

/**
 * Rules of the doctype Webhook and its secret. The secret is generated or taken from the request at creation,
 * shown in that reply, and never again.
 */
export const webhookController: Controller = {
  beforeInsert(doc, ctx) {
    takeSecret(doc);
    const given = textOf(doc, 'secret').trim();
    if (given === '' || isMask(given)) doc['secret'] = newSecret(ctx.site.random);
  },
  beforeValidate(doc) {
    takeSecret(doc);
    // An empty secret leaves the stored one unchanged: a webhook always has one.
    if (isUnset(doc, 'secret')) doc['secret'] = PASSWORD_MASK;
    if (Number(doc['enabled']) === 1) doc['disabled_reason'] = null;
    tidyWebhook(doc);
  },
  async validate(doc, ctx, change) {
    const { allow } = ctx.site.config.webhooks;
    const problems = [
      ...webhookProblems(doc, ctx.doctypes),
      ...addressProblems(doc, change.before ?? null, allow),
    ];
    problems.push(...(await tlsProblemsOf(doc, ctx)));
    if (problems.length === 0) problems.push(...reachProblems(ctx, doc));
    if (problems.length === 0) problems.push(...(await hideHeaders(doc, ctx, change)));
    // A new secret given in an update expires the former ones.
    if (change.before && !isMask(textOf(doc, 'secret'))) await dropFormer(ctx, doc.name);
    const [first] = problems;
    if (first === undefined) return;
    throw new ServiceError('ValidationError', first, {
      messages: problems,
      places: problems.map(problemPlace),
    });
  },
  async afterInsert(doc, ctx) {
    doc['secret'] = await loadSecret(ctx.site, ctx.db, 'Webhook', doc.name, 'secret');
  },
};

// `webhook_secret` is Frappe's name for the secret.
function takeSecret(doc: Document): void {
  if (isUnset(doc, 'webhook_secret')) return;
  const other = textOf(doc, 'webhook_secret');
  if (!isMask(other) && (isUnset(doc, 'secret') || isMask(textOf(doc, 'secret')))) doc['secret'] = other;
  doc['webhook_secret'] = null;
}

// The private key is stored with the secrets. Asterisks sent back leave the stored key unchanged.
async function tlsProblemsOf(doc: Document, ctx: Context): Promise<string[]> {
  const [authority, certificate] = [
    textOf(doc, 'tls_authority').trim(),
    textOf(doc, 'tls_certificate').trim(),
  ];
  const given = textOf(doc, 'tls_key').trim();
  if (given === '') await deleteSecret(ctx.db, 'Webhook', doc.name, 'tls_key');
  if (authority === '' && certificate === '' && given === '') return [];
  const key = isMask(given) ? await loadSecret(ctx.site, ctx.db, 'Webhook', doc.name, 'tls_key') : given;
  const problems = tlsProblems(authority, certificate, key ?? '');
  if (problems.length === 0 && given !== '' && !isMask(given)) {
    await writeSecret(ctx.site, ctx.db, 'Webhook', doc.name, 'tls_key', given);
    doc['tls_key'] = PASSWORD_MASK;
  }
  return problems;
}

function isUnset(doc: Document, fieldname: string): boolean {
  return textOf(doc, fieldname).trim() === '';
}
