import { useSyncExternalStore } from 'react';
import { createStore, type Store } from '../../base/store.ts';

export interface HeaderRow {
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

export interface FieldRow {
  readonly fieldname: string;
  /** '' for the fieldname itself. */
  readonly key: string;
}

/** Payload kind: the whole document, some fields, or a template. */
export type Payload = 'document' | 'fields' | 'template';

/** A webhook during editing. */
export interface Draft {
  /** Name of a new webhook; '' lets the server choose. */
  readonly name: string;
  readonly webhook_doctype: string;
  readonly webhook_docevent: string;
  readonly enabled: boolean;
  readonly condition: string;
  readonly watched: readonly string[];
  readonly skip_own_changes: boolean;
  readonly own_user: string;
  readonly request_url: string;
  readonly is_dynamic_url: boolean;
  readonly request_method: string;
  readonly isForm: boolean;
  readonly timeout: number | null;
  readonly max_retries: number | null;
  readonly rate_limit: number | null;
  readonly rate_burst: number | null;
  readonly held_deliveries: string;
  readonly hub_signature: boolean;
  readonly secret: string;
  readonly tls_authority: string;
  readonly tls_certificate: string;
  readonly tls_key: string;
  readonly headers: readonly HeaderRow[];
  readonly payload: Payload;
  readonly fields: readonly FieldRow[];
  readonly include_previous: boolean;
  readonly webhook_json: string;
}

/** The draft, outside React: a key press re-renders only its own field. */
export type DraftStore = Store<Draft>;

/** Creates a store from a stored webhook, or for a new one. */
export function makeDraft(
  doc: Readonly<Record<string, unknown>> | null,
  defaults: Partial<Draft> = {},
): DraftStore {
  return createStore({ ...draftOf(doc ?? NEW), ...defaults });
}

/** A value of the draft and its setter. */
export function useDraftValue<K extends keyof Draft>(
  store: DraftStore,
  name: K,
): [Draft[K], (value: Draft[K]) => void] {
  const value = useSyncExternalStore(store.subscribe, () => store.get()[name]);
  return [value, (next) => store.set({ ...store.get(), [name]: next })];
}

const NEW = { enabled: 1, request_method: 'POST', timeout: 15, max_retries: -1, held_deliveries: 'Send' };

/** Converts a stored webhook to a draft. */
export function draftOf(doc: Readonly<Record<string, unknown>>): Draft {
  const fields = rowsOf(doc['webhook_data']).map((row) => ({
    fieldname: text(row['fieldname']),
    key: text(row['key']),
  }));
  const template = text(doc['webhook_json']);
  return {
    name: text(doc['name']),
    webhook_doctype: text(doc['webhook_doctype']),
    webhook_docevent: text(doc['webhook_docevent']),
    enabled: flag(doc['enabled']),
    condition: text(doc['condition']),
    watched: text(doc['only_if_changed'])
      .split(/[\s,]+/)
      .filter(Boolean),
    skip_own_changes: flag(doc['skip_own_changes']),
    own_user: text(doc['own_user']),
    request_url: text(doc['request_url']),
    is_dynamic_url: flag(doc['is_dynamic_url']),
    request_method: text(doc['request_method']) || 'POST',
    isForm: doc['request_structure'] === 'Form URL-Encoded',
    timeout: count(doc['timeout']),
    max_retries: count(doc['max_retries']),
    rate_limit: count(doc['rate_limit']),
    rate_burst: count(doc['rate_burst']),
    held_deliveries: text(doc['held_deliveries']) || 'Send',
    hub_signature: flag(doc['hub_signature']),
    secret: '',
    tls_authority: text(doc['tls_authority']),
    tls_certificate: text(doc['tls_certificate']),
    tls_key: text(doc['tls_key']),
    headers: rowsOf(doc['webhook_headers']).map((row, id) => ({
      id,
      key: text(row['key']),
      value: text(row['value']),
    })),
    payload: fields.length > 0 ? 'fields' : template.trim() === '' ? 'document' : 'template',
    fields,
    include_previous: flag(doc['include_previous']),
    webhook_json: template,
  };
}

/** The wire form of a draft. */
export function fieldsOf(draft: Draft): Readonly<Record<string, unknown>> {
  const isTemplate = draft.payload === 'template';
  return {
    webhook_doctype: draft.webhook_doctype || null,
    webhook_docevent: draft.webhook_docevent || null,
    enabled: draft.enabled ? 1 : 0,
    condition: draft.condition.trim() || null,
    only_if_changed: draft.watched.join(', ') || null,
    skip_own_changes: draft.skip_own_changes ? 1 : 0,
    own_user: draft.skip_own_changes ? draft.own_user || null : null,
    request_url: draft.request_url.trim() || null,
    is_dynamic_url: draft.is_dynamic_url ? 1 : 0,
    request_method: draft.request_method,
    request_structure: draft.isForm && !isTemplate ? 'Form URL-Encoded' : null,
    timeout: draft.timeout ?? 15,
    max_retries: draft.max_retries ?? -1,
    rate_limit: draft.rate_limit ?? 0,
    rate_burst: draft.rate_burst ?? 0,
    held_deliveries: draft.held_deliveries,
    hub_signature: draft.hub_signature ? 1 : 0,
    tls_authority: draft.tls_authority.trim() || null,
    tls_certificate: draft.tls_certificate.trim() || null,
    tls_key: draft.tls_key.trim() || null,
    webhook_headers: draft.headers
      .filter(({ key, value }) => key.trim() !== '' || value.trim() !== '')
      .map(({ key, value }) => ({ key: key.trim(), value })),
    webhook_data:
      draft.payload === 'fields'
        ? draft.fields.map(({ fieldname, key }) => ({ fieldname, key: key || null }))
        : [],
    include_previous: draft.include_previous && !isTemplate ? 1 : 0,
    webhook_json: isTemplate ? draft.webhook_json : null,
    ...(draft.secret.trim() === '' ? {} : { secret: draft.secret.trim() }),
  };
}

/** Fields to save: all for a new webhook, otherwise the changed ones. */
export function changesOf(draft: Draft, stored: Draft | null): Readonly<Record<string, unknown>> {
  const now = fieldsOf(draft);
  if (stored === null) return { ...(draft.name.trim() === '' ? {} : { name: draft.name.trim() }), ...now };
  const before = fieldsOf(stored);
  const differing = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(differing);
}

/** The part of the editor that a problem belongs to, or null. */
export function placeOf(problem: string): keyof Draft | null {
  const found = PLACES.find(([pattern]) => pattern.test(problem));
  return found?.[1] ?? null;
}

const PLACES: readonly (readonly [RegExp, keyof Draft])[] = [
  [/^Invalid Condition/, 'condition'],
  [/^Only If Changed/, 'watched'],
  [/^Invalid JSON Body/, 'webhook_json'],
  [/^Include Previous/, 'include_previous'],
  [/^(Check )?Request URL/, 'request_url'],
  [/^DocType must be Submittable|^Doc Event/, 'webhook_docevent'],
  [/^DocType|child table|do not change|^There is no DocType/, 'webhook_doctype'],
  [/^Timeout/, 'timeout'],
  [/^Max Retries/, 'max_retries'],
  [/^Rate Limit/, 'rate_limit'],
  [/^Rate Burst/, 'rate_burst'],
  [/^Webhook Header|^The headers|^At most \d{1,9} headers/, 'headers'],
  [/^Same (Field|Key)|^Webhook Data/, 'fields'],
  [/^Secret/, 'secret'],
  [/^TLS Authority/, 'tls_authority'],
  [/^TLS Client Key/, 'tls_key'],
  [/^TLS/, 'tls_certificate'],
];

function rowsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function flag(value: unknown): boolean {
  return value === 1 || value === true;
}

function count(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
