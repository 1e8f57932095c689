import { queryOptions } from '@tanstack/react-query';
import { callMethod } from '../../data/api.ts';
import { deleteDocument, listRows, updateDocument } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';

/** An API key in the list. The server never returns the secret again. */
export interface ApiKey {
  readonly name: string;
  readonly label: string;
  readonly isEnabled: boolean;
  readonly creation: string;
  /** '' if it never expires. */
  readonly expiresOn: string;
  readonly lastUsed: string;
  /** The end of the old secret's validity; '' if there is none. */
  readonly formerUntil: string;
  readonly limits: KeyLimits;
}

/** Limits of a key. An empty list sets no limit. */
export interface KeyLimits {
  readonly isReadOnly: boolean;
  readonly doctypes: readonly string[];
  readonly methods: readonly string[];
  readonly addresses: readonly string[];
}

/** User input for a key. */
export interface KeyDraft extends KeyLimits {
  readonly label: string;
  readonly expiresOn: string;
}

/** A key and its secret, which is shown once and not stored. */
export interface NewSecret {
  readonly apiKey: string;
  readonly secret: string;
}

const FIELDS = [
  'name',
  'label',
  'enabled',
  'creation',
  'expires_on',
  'last_used',
  'old_secret_until',
  'read_only',
  'doctypes',
  'methods',
  'allowed_ips',
] as const;

/** The keys of a user, newest first. */
export function keysQuery(user: string) {
  const query = {
    fields: FIELDS,
    filters: [['user', '=', user] as const],
    order_by: 'creation desc',
    // The server's maximum of keys per user.
    limit_page_length: 100,
  };
  return queryOptions({
    queryKey: keys.list('API Key', query),
    queryFn: async ({ signal }) => (await listRows('API Key', query, { signal })).map(keyOf),
  });
}

/** Creates a key for a user. */
export async function createKey(user: string, draft: KeyDraft): Promise<NewSecret> {
  return secretOf(
    await callMethod('chancery.api_key.create', { user, ...limitsOnWire(draft, (list) => list) }),
  );
}

/** Changes the label and the limits of a key. */
export async function changeKey(name: string, draft: KeyDraft): Promise<void> {
  await updateDocument(
    'API Key',
    name,
    limitsOnWire(draft, (list) => list.join('\n')),
  );
  await refreshKeys();
}

/** Disables or enables a key. */
export async function enableKey(name: string, isEnabled: boolean): Promise<void> {
  await updateDocument('API Key', name, { enabled: isEnabled ? 1 : 0 });
  await refreshKeys();
}

/** Replaces the secret of a key. The old one stays valid for the given hours. */
export async function rotateKey(name: string, overlapHours: number): Promise<NewSecret> {
  return secretOf(
    await callMethod('chancery.api_key.rotate', { api_key: name, overlap_hours: overlapHours }),
  );
}

/** Revokes a key permanently. */
export async function revokeKey(name: string): Promise<void> {
  await deleteDocument('API Key', name);
  await refreshKeys();
}

/** Reloads the keys after a change. */
export async function refreshKeys(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: keys.lists('API Key') });
}

function limitsOnWire<T>(draft: KeyDraft, list: (words: readonly string[]) => T) {
  return {
    label: draft.label.trim(),
    expires_on: draft.expiresOn === '' ? null : draft.expiresOn,
    read_only: draft.isReadOnly ? 1 : 0,
    doctypes: list(draft.doctypes),
    methods: list(draft.methods.flatMap(wordsOf)),
    allowed_ips: list(draft.addresses.flatMap(wordsOf)),
  };
}

function secretOf({
  api_key,
  api_secret,
}: {
  readonly api_key: string;
  readonly api_secret: string;
}): NewSecret {
  return { apiKey: api_key, secret: api_secret };
}

function keyOf(row: Readonly<Record<string, unknown>>): ApiKey {
  const text = (name: string) => String(row[name] ?? '');
  return {
    name: text('name'),
    label: text('label'),
    isEnabled: row['enabled'] === 1,
    creation: text('creation'),
    expiresOn: text('expires_on'),
    lastUsed: text('last_used'),
    formerUntil: text('old_secret_until'),
    limits: {
      isReadOnly: row['read_only'] === 1,
      doctypes: wordsOf(text('doctypes')),
      methods: wordsOf(text('methods')),
      addresses: wordsOf(text('allowed_ips')),
    },
  };
}

function wordsOf(text: string): readonly string[] {
  return text
    .split(/[\n,]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
