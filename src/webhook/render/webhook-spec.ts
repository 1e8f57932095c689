import { HEADER_MASK, isSensitive, isSkipped, type WebhookHeader } from '../send/header-rules.ts';
import type { WebhookTexts } from './compile-webhook.ts';
import type { PayloadField, PayloadPlan } from './payload.ts';

/** An enabled webhook, as far as needed to make its deliveries. */
export interface WebhookSpec extends PayloadPlan, WebhookTexts {
  readonly name: string;
  readonly doctype: string;
  readonly event: string;
  readonly url: string;
  readonly method: string;
  /** The body is form-encoded, not JSON. */
  readonly isForm: boolean;
  /** Fires only when one of these fields changes; empty: always. */
  readonly watched: readonly string[];
  /** Does not fire for changes by this user; null: fires for all. */
  readonly skippedUser: string | null;
  /**
   * The order per document: `each` one after another; `newest` drops all waiting ones but the newest; `any`
   * in no order.
   */
  readonly order: 'each' | 'newest' | 'any';
  /** Its custom headers as a delivery stores them: JSON, values that may be credentials masked. */
  readonly headersText: string;
}

/** The columns of Webhook that make a `WebhookSpec`. */
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

/** Parses a webhook from its row and child rows, or from a document. */
export function parseSpec(
  webhook: Holder,
  headerRows: readonly Holder[],
  dataRows: readonly Holder[],
): WebhookSpec {
  const headers = headerRows.map(parseHeader).filter((header) => header !== null);
  const fields = dataRows.map(parseField);
  const url = columnText(webhook, 'request_url');
  const takesForm = columnText(webhook, 'request_structure') === 'Form URL-Encoded';
  const contentType = headers.find(({ key }) => key.toLowerCase() === 'content-type')?.value;
  // A typical webhook of Frappe sets both, and sends JSON.
  const isForm = takesForm && !/json/i.test(contentType ?? '');
  const sent = isForm && contentType === undefined ? [...headers, FORM] : headers;
  return {
    name: columnText(webhook, 'name'),
    doctype: columnText(webhook, 'webhook_doctype'),
    event: columnText(webhook, 'webhook_docevent'),
    url,
    method: columnText(webhook, 'request_method') || 'POST',
    isForm,
    fields,
    includePrevious: Number(webhook['include_previous']) === 1,
    watched: parseFieldnames(columnText(webhook, 'only_if_changed')),
    condition: columnText(webhook, 'condition').trim(),
    json: fields.length > 0 || takesForm ? '' : columnText(webhook, 'webhook_json').trim(),
    dynamicUrl: Number(webhook['is_dynamic_url']) === 1 ? url : '',
    skippedUser:
      Number(webhook['skip_own_changes']) === 1
        ? columnText(webhook, 'own_user') || columnText(webhook, 'owner')
        : null,
    order: orderOf(columnText(webhook, 'delivery_order')),
    headersText: headersText(sent),
  };
}

function orderOf(text: string): WebhookSpec['order'] {
  return text === 'Newest Only' ? 'newest' : text === 'Any Order' ? 'any' : 'each';
}

/** Parses fieldnames separated by commas, spaces or line breaks. */
export function parseFieldnames(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((fieldname) => fieldname !== ''))];
}

/** A header from its row; null for an empty row. */
export function parseHeader(row: Holder): WebhookHeader | null {
  const key = columnText(row, 'key');
  const value = columnText(row, 'value');
  return isSkipped(key, value) ? null : { key: key.trim(), value };
}

const FORM: WebhookHeader = { key: 'Content-Type', value: 'application/x-www-form-urlencoded' };

function parseField(row: Holder): PayloadField {
  const fieldname = columnText(row, 'fieldname');
  return { fieldname, key: columnText(row, 'key') || fieldname };
}

function headersText(headers: readonly WebhookHeader[]): string {
  const shown = headers.map(({ key, value }) => [key, isSensitive(key) ? HEADER_MASK : value]);
  return JSON.stringify(Object.fromEntries(shown));
}

function columnText(holder: Holder, column: string): string {
  const value = holder[column];
  return typeof value === 'string' ? value : '';
}
