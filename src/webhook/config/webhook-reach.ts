import { isIn, readableFields } from '../../access/field-level.ts';
import { allows } from '../../access/permission.ts';
import { ruleOf } from '../../access/row-rule.ts';
import { isSystemManager } from '../../access/user.ts';
import type { DocType, Document } from '../../doctype/doctype.ts';
import { isOwnWorkInHook } from '../../document/context.ts';
import type { Context } from '../../document/contract.ts';
import { rowsOf, textOf } from '../../document/document.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { compileWebhook } from '../render/compile-webhook.ts';
import { parseSpec, type WebhookSpec } from '../render/webhook-spec.ts';

/**
 * The fields that an enabled webhook would disclose though its author may not read them: a webhook sees every
 * document whole, whoever changed it. Checks the fields of the payload, the condition, the address and the
 * watched fields; a table counts with all its fields. For a webhook without other problems.
 */
export function reachProblems(ctx: Context, webhook: Document): string[] {
  const doctype = ctx.doctypes.find(textOf(webhook, 'webhook_doctype'));
  if (!doctype || Number(webhook['enabled']) !== 1) return [];
  if (ctx.user.isAdministrator || isOwnWorkInHook(ctx)) return [];
  if (!isSystemManager(ctx.user) && !readsEvery(ctx, doctype)) {
    return [`A webhook reports every ${doctype.name}, and you may not read all of them`];
  }
  const spec = parseSpec(webhook, rowsOf(webhook, 'webhook_headers'), rowsOf(webhook, 'webhook_data'));
  const hidden = toldFields(doctype, spec).filter((fieldname) => isHidden(ctx, doctype, fieldname));
  if (hidden.length === 0) return [];
  const named = hidden.slice(0, LIMITS.problemsNamed).join(', ');
  return [`The webhook would reveal fields of ${doctype.name} that you may not read: ${named}`];
}

function readsEvery(ctx: Context, doctype: DocType): boolean {
  return allows(ctx.user, doctype, 'read') && ruleOf(ctx.user, doctype, 'read', ctx.doctypes) === null;
}

function toldFields(doctype: DocType, spec: WebhookSpec): string[] {
  const { condition, json, url } = compileWebhook(spec);
  const chosen = spec.fields.map(({ fieldname }) => fieldname);
  const whole = json === null && chosen.length === 0 ? doctype.fields.map(({ fieldname }) => fieldname) : [];
  return [
    ...new Set([
      ...whole,
      ...chosen,
      ...(json?.fields ?? []),
      ...(url?.fields ?? []),
      ...(condition?.fields ?? []),
      ...spec.watched,
    ]),
  ];
}

function isHidden(ctx: Context, doctype: DocType, fieldname: string): boolean {
  const field = doctype.fieldByName.get(fieldname);
  if (!field) return false;
  if (!isIn(readableFields(ctx.user, doctype), fieldname)) return true;
  const child = doctype.tables.includes(field) ? ctx.doctypes.find(field.options) : undefined;
  if (!child) return false;
  const readable = readableFields(ctx.user, child, doctype);
  return child.fields.some((one) => !isIn(readable, one.fieldname));
}
