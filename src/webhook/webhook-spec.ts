import type { WebhookTexts } from './compile-webhook.ts';
import { HEADER_MASK, isSensitive, isSkipped } from './header-rules.ts';
import type { PayloadField, PayloadPlan } from './payload.ts';

/** An enabled webhook, as far as making its deliveries takes. */
export interface WebhookSpec extends PayloadPlan, WebhookTexts {
  readonly name: string;
  readonly doctype: string;
  readonly event: string;
  readonly url: string;
  readonly method: string;
  /** The body is a form, not JSON. */
  readonly isForm: boolean;
  /** Fires only when one of these fields changed; empty for always. */
  readonly watched: readonly string[];
  /** Whose changes it does not fire for; null when it fires for everybody's. */
  readonly skippedUser: string | null;
  /** Of each document: one delivery after another, of those that wait for that only the newest, or each as soon as it can. */
  readonly order: 'each' | 'newest' | 'any';
  /** The headers of its own as a delivery keeps them: JSON, values that may be credentials masked. */
  readonly headersText: string;
}

export interface WebhookHeader {
  readonly key: string;
  readonly value: string;
}

/** Columns of the doctype Webhook that a `WebhookSpec` is made of. */
export const SPEC_COLUMNS = [
  'name',
  'webhook_doctype',
  'webhook_docevent',
  'request_url',
  'request_method',
  'request_structure',
  'condition',
  'webhook_json',
  'is_dynamic_url',
  'only_if_changed',
  'include_previous',
  'skip_own_changes',
  'own_user',
  'delivery_order',
  'owner',
] as const;

type Holder = Readonly<Record<string, unknown>>;

/** Reads a webhook from its row and its child rows, or from a document that holds the same. */
export function readSpec(
  webhook: Holder,
  headerRows: readonly Holder[],
  dataRows: readonly Holder[],
): WebhookSpec {
  const headers = headerRows.map(readHeader).filter((header) => header !== null);
  const fields = dataRows.map(readField);
  const url = textOf(webhook, 'request_url');
  const takesForm = textOf(webhook, 'request_structure') === 'Form URL-Encoded';
  const contentType = headers.find(({ key }) => key.toLowerCase() === 'content-type')?.value;
  // Frappe's usual webhook says both, and sends JSON.
  const isForm = takesForm && !/json/i.test(contentType ?? '');
  const sent = isForm && contentType === undefined ? [...headers, FORM] : headers;
  return {
    name: textOf(webhook, 'name'),
    doctype: textOf(webhook, 'webhook_doctype'),
    event: textOf(webhook, 'webhook_docevent'),
    url,
    method: textOf(webhook, 'request_method') || 'POST',
    isForm,
    fields,
    includePrevious: Number(webhook['include_previous']) === 1,
    watched: readFieldnames(textOf(webhook, 'only_if_changed')),
    condition: textOf(webhook, 'condition').trim(),
    json: fields.length > 0 || takesForm ? '' : textOf(webhook, 'webhook_json').trim(),
    dynamicUrl: Number(webhook['is_dynamic_url']) === 1 ? url : '',
    skippedUser:
      Number(webhook['skip_own_changes']) === 1
        ? textOf(webhook, 'own_user') || textOf(webhook, 'owner')
        : null,
    order: orderOf(textOf(webhook, 'delivery_order')),
    headersText: headersText(sent),
  };
}

function orderOf(text: string): WebhookSpec['order'] {
  return text === 'Newest Only' ? 'newest' : text === 'Any Order' ? 'any' : 'each';
}

/** Fieldnames with commas, spaces or line ends between them. */
export function readFieldnames(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((fieldname) => fieldname !== ''))];
}

/** A header as its row says; null for a row that stands for none. */
export function readHeader(row: Holder): WebhookHeader | null {
  const key = textOf(row, 'key');
  const value = textOf(row, 'value');
  return isSkipped(key, value) ? null : { key: key.trim(), value };
}

const FORM: WebhookHeader = { key: 'Content-Type', value: 'application/x-www-form-urlencoded' };

function readField(row: Holder): PayloadField {
  const fieldname = textOf(row, 'fieldname');
  return { fieldname, key: textOf(row, 'key') || fieldname };
}

function headersText(headers: readonly WebhookHeader[]): string {
  const shown = headers.map(({ key, value }) => [key, isSensitive(key) ? HEADER_MASK : value]);
  return JSON.stringify(Object.fromEntries(shown));
}

function textOf(holder: Holder, column: string): string {
  const value = holder[column];
  return typeof value === 'string' ? value : '';
}
