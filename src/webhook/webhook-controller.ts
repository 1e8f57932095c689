import type { DocType, Document } from '../doctype/doctype.ts';
import type { Context } from '../document/context.ts';
import type { Controller } from '../document/controller.ts';
import { rowsOf, textOf } from '../document/document.ts';
import { deleteSecret, isMask, PASSWORD_MASK, readSecret, writeSecret } from '../document/secret.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { headerProblem, isSkipped } from './header-rules.ts';
import { hideHeaders } from './header-secrets.ts';
import { newSecret } from './sign.ts';
import { dropFormer } from './signing-secrets.ts';
import { isSentField, textProblems } from './text-rules.ts';
import { tlsProblems } from './tls-material.ts';

/** Rules of the doctype Webhook, and its secret: made or taken at creation, shown in that reply and never again. */
export const webhookController: Controller = {
  beforeInsert(doc, ctx) {
    takeSecret(doc);
    const given = textOf(doc, 'secret').trim();
    if (given === '' || isMask(given)) doc['secret'] = newSecret(ctx.site.random);
  },
  beforeValidate(doc) {
    takeSecret(doc);
    // An emptied secret means "leave it": a webhook always has one.
    if (isUnset(doc, 'secret')) doc['secret'] = PASSWORD_MASK;
    doc['request_url'] = textOf(doc, 'request_url').trim();
    if (Number(doc['enabled']) === 1) doc['disabled_reason'] = null;
    // As in Frappe: what the structure does not send goes.
    const structure = textOf(doc, 'request_structure');
    if (structure === 'Form URL-Encoded') doc['webhook_json'] = null;
    else if (structure === 'JSON' && !isUnset(doc, 'webhook_json')) doc['webhook_data'] = [];
  },
  async validate(doc, ctx, change) {
    const problems = [...targetProblems(doc, ctx), ...numberProblems(doc), ...headerProblems(doc)];
    problems.push(...(await tlsProblemsOf(doc, ctx)));
    if (problems.length === 0) problems.push(...(await hideHeaders(doc, ctx)));
    // Whoever gives another secret means that the former ones stop counting.
    if (change.before && !isMask(textOf(doc, 'secret'))) await dropFormer(ctx, doc.name);
    const [first] = problems;
    if (first !== undefined) throw new ServiceError('ValidationError', first, { messages: problems });
  },
  async afterInsert(doc, ctx) {
    doc['secret'] = await readSecret(ctx.site, ctx.db, 'Webhook', doc.name, 'secret');
  },
};

// `webhook_secret` is Frappe's name for the secret.
function takeSecret(doc: Document): void {
  if (isUnset(doc, 'webhook_secret')) return;
  const other = textOf(doc, 'webhook_secret');
  if (!isMask(other) && (isUnset(doc, 'secret') || isMask(textOf(doc, 'secret')))) doc['secret'] = other;
  doc['webhook_secret'] = null;
}

const SUBMIT_EVENTS: ReadonlySet<string> = new Set(['on_submit', 'on_cancel', 'on_update_after_submit']);

function targetProblems(doc: Document, ctx: Context): string[] {
  const doctype = ctx.doctypes.find(textOf(doc, 'webhook_doctype'));
  // A missing or unknown doctype is reported by the checks of mandatory fields and links.
  if (!doctype) return [];
  if (doctype.istable) return [`${doctype.name} is a child table: name the doctype that holds it`];
  if (doctype.rowsFrom === 'view')
    return [`Documents of ${doctype.name} do not change, so no event would ever fire`];
  const problems = [...dataProblems(doc, doctype), ...textProblems(doc, doctype, ctx.doctypes)];
  if (SUBMIT_EVENTS.has(textOf(doc, 'webhook_docevent')) && !doctype.is_submittable) {
    problems.unshift('DocType must be Submittable for the selected Doc Event');
  }
  return problems;
}

function dataProblems(doc: Document, doctype: DocType): string[] {
  const problems: string[] = [];
  const fieldnames = new Set<string>();
  const keys = new Set<string>();
  for (const row of rowsOf(doc, 'webhook_data')) {
    const fieldname = String(row['fieldname'] ?? '');
    if (fieldname === '') continue;
    const key = String(row['key'] ?? '') || fieldname;
    if (fieldnames.has(fieldname)) problems.push(`Same Field is entered more than once: ${fieldname}`);
    else if (keys.has(key)) problems.push(`Same Key is entered more than once: ${key}`);
    fieldnames.add(fieldname);
    keys.add(key);
    if (!isSentField(doctype, fieldname)) {
      problems.push(`Webhook Data Row #${row.idx}: ${doctype.name} has no field ${fieldname} to send`);
    }
  }
  return problems;
}

// The key goes where secrets live; asterisks that come back leave what is stored.
async function tlsProblemsOf(doc: Document, ctx: Context): Promise<string[]> {
  const [authority, certificate] = [
    textOf(doc, 'tls_authority').trim(),
    textOf(doc, 'tls_certificate').trim(),
  ];
  const given = textOf(doc, 'tls_key').trim();
  if (given === '') await deleteSecret(ctx.db, 'Webhook', doc.name, 'tls_key');
  if (authority === '' && certificate === '' && given === '') return [];
  const key = isMask(given) ? await readSecret(ctx.site, ctx.db, 'Webhook', doc.name, 'tls_key') : given;
  const problems = tlsProblems(authority, certificate, key ?? '');
  if (problems.length === 0 && given !== '' && !isMask(given)) {
    await writeSecret(ctx.site, ctx.db, 'Webhook', doc.name, 'tls_key', given);
    doc['tls_key'] = PASSWORD_MASK;
  }
  return problems;
}

function numberProblems(doc: Document): string[] {
  const problems: string[] = [];
  const timeout = Number(doc['timeout']);
  if (!(timeout >= 1 && timeout <= 60)) problems.push('Timeout must be 1 to 60 seconds');
  const retries = Number(doc['max_retries']);
  if (!(retries >= -1 && retries <= LIMITS.webhookRetries)) {
    problems.push(`Max Retries must be 0 to ${LIMITS.webhookRetries}`);
  }
  for (const [fieldname, label] of [
    ['rate_limit', 'Rate Limit'],
    ['rate_burst', 'Rate Burst'],
  ] as const) {
    const value = Number(doc[fieldname]);
    if (!(value >= 0 && value <= LIMITS.webhookRate))
      problems.push(`${label} must be 0 to ${LIMITS.webhookRate}`);
  }
  if (textOf(doc, 'secret').length > LIMITS.passwordLength) {
    problems.push(`Secret is longer than ${LIMITS.passwordLength} characters`);
  }
  return problems;
}

function headerProblems(doc: Document): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let total = 0;
  const rows = rowsOf(doc, 'webhook_headers');
  if (rows.length > LIMITS.webhookHeaders) return [`There are more than ${LIMITS.webhookHeaders} headers`];
  for (const row of rows) {
    const key = String(row['key'] ?? '');
    const value = String(row['value'] ?? '');
    if (isSkipped(key, value)) continue;
    const problem = headerProblem(key, value);
    if (problem) problems.push(`Webhook Header Row #${row.idx}: ${problem}`);
    else if (seen.has(key.toLowerCase())) problems.push(`Webhook Header Row #${row.idx}: ${key} is repeated`);
    seen.add(key.toLowerCase());
    total += key.length + value.length;
  }
  if (total > LIMITS.webhookHeadersBytes) {
    problems.push(`The headers are longer than ${LIMITS.webhookHeadersBytes} bytes together`);
  }
  return problems;
}

function isUnset(doc: Document, fieldname: string): boolean {
  return textOf(doc, fieldname).trim() === '';
}
