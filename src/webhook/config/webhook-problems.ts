import type { DocType, DoctypeRegistry, Document } from '../../doctype/doctype.ts';
import { rowsOf, textOf } from '../../document/document.ts';
import type { ErrorPlace } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { forbiddenLiteral } from '../../net/address-guard.ts';
import { headerProblem, isSkipped } from '../send/header-rules.ts';
import { isSentField, textProblems, URL_PROBLEM } from './text-rules.ts';

/** Normalises the fields of a webhook for storage. */
export function tidyWebhook(doc: Document): void {
  doc['request_url'] = textOf(doc, 'request_url').trim();
  // As in Frappe: clears the fields that the request structure does not send.
  const structure = textOf(doc, 'request_structure');
  if (structure === 'Form URL-Encoded') doc['webhook_json'] = null;
  else if (structure === 'JSON' && textOf(doc, 'webhook_json').trim() !== '') doc['webhook_data'] = [];
}

/** The problems of a webhook that show without its secrets. */
export function webhookProblems(doc: Document, doctypes: DoctypeRegistry): string[] {
  return [...targetProblems(doc, doctypes), ...numberProblems(doc), ...headerProblems(doc)];
}

/**
 * A webhook whose address is forbidden (`webhooks.allow`) would never deliver. A host name is only checked
 * when a delivery is sent. An address that is already stored is accepted, since settings change.
 */
export function addressProblems(doc: Document, before: Document | null, allow: readonly string[]): string[] {
  const text = textOf(doc, 'request_url');
  if (before && text === textOf(before, 'request_url')) return [];
  const forbidden = forbiddenLiteral(text, allow);
  return forbidden === null ? [] : [`${URL_PROBLEM}: ${forbidden}`];
}

/** The place of a problem that concerns a single field; null otherwise. */
export function problemPlace(problem: string): ErrorPlace | null {
  return problem.startsWith(URL_PROBLEM) ? { fieldname: 'request_url' } : null;
}

const SUBMIT_EVENTS: ReadonlySet<string> = new Set(['on_submit', 'on_cancel', 'on_update_after_submit']);

function targetProblems(doc: Document, doctypes: DoctypeRegistry): string[] {
  const doctype = doctypes.find(textOf(doc, 'webhook_doctype'));
  // The checks of mandatory fields and links report a missing or unknown doctype.
  if (!doctype) return [];
  if (doctype.istable) return [`${doctype.name} is a child table: name the doctype that holds it`];
  if (doctype.rowsFrom === 'view')
    return [`Documents of ${doctype.name} do not change, so no event would ever fire`];
  const problems = [...dataProblems(doc, doctype), ...textProblems(doc, doctype, doctypes)];
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
  if (rows.length > LIMITS.webhookHeaders) return [`At most ${LIMITS.webhookHeaders} headers are allowed`];
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
