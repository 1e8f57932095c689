import { type AuditDetails, type AuditEntry, type AuditEvent, audit } from '../access/audit.ts';
import type { DocField, DocType, Document } from '../doctype/doctype.ts';
import type { CommitListener } from '../document/contract.ts';
import type { DocEvent } from '../document/doc-event.ts';
import { rowsOf } from '../document/document.ts';
import { isRecord } from '../kernel/value.ts';

/** The longest value in the details, in characters. */
const VALUE = 140;

/**
 * Writes audit entries for changes of documents that affect permissions. It reads the events of all verbs, so
 * it covers every way to make a change. For other documents, only deletions are logged.
 */
export const auditListener: CommitListener = async (ctx) => {
  const entries = ctx.events.flatMap((event) => {
    const watched = WATCHED.get(event.doctype.name);
    if (event.name === 'on_trash') return [deletionOf(event), ...(watched?.(event) ?? [])];
    return watched && TOLD.has(event.name) ? watched(event) : [];
  });
  if (entries.length > 0) await audit(ctx, ...entries);
};

/** Of the events of one change, the specific one; `on_change` repeats it. */
const TOLD: ReadonlySet<string> = new Set(['after_insert', 'on_update', 'after_rename']);

type Watch = (event: DocEvent) => AuditEntry[];

const WATCHED: ReadonlyMap<string, Watch> = new Map<string, Watch>([
  ['User', userEntries],
  ['DocType', (event) => [...changeEntries(event, 'doctype_changed'), ...docPermEntries(event)]],
  ['Custom Field', (event) => changeEntries(event, 'doctype_changed')],
  ['Property Setter', (event) => changeEntries(event, 'doctype_changed')],
  ['Custom DocPerm', (event) => changeEntries(event, 'permissions_changed')],
  ['User Permission', (event) => changeEntries(event, 'permissions_changed')],
  ['DocShare', (event) => changeEntries(event, 'permissions_changed')],
  ['Role', (event) => changeEntries(event, 'permissions_changed')],
  ['Role Profile', (event) => changeEntries(event, 'permissions_changed')],
  ['API Key', (event) => (event.name === 'on_trash' ? [] : changeEntries(event, 'key_changed'))],
  ['System Settings', (event) => changeEntries(event, 'settings_changed')],
  ['Webhook', webhookEntries],
  ['Social Login Key', (event) => changeEntries(event, 'settings_changed')],
  ['OAuth Client', (event) => changeEntries(event, 'oauth_client_changed')],
]);

function deletionOf({ doctype, doc }: DocEvent): AuditEntry {
  return { event: 'document_deleted', doctype: doctype.name, name: doc.name };
}

function userEntries({ name: happened, doc, before }: DocEvent): AuditEntry[] {
  const about = { doctype: 'User', name: doc.name };
  if (happened === 'on_trash') return [];
  if (happened === 'after_rename') {
    return [{ event: 'user_renamed', ...about, details: { from: before?.name ?? '' } }];
  }
  const entries: AuditEntry[] = [];
  if (!before) entries.push({ event: 'user_created', ...about });
  else if (before['enabled'] !== doc['enabled']) {
    entries.push({ event: doc['enabled'] === 1 ? 'user_enabled' : 'user_disabled', ...about });
  }
  const [had, has] = [rolesOf(before), rolesOf(doc)];
  const details = { added: except(has, had), removed: except(had, has) };
  if (details.added.length + details.removed.length > 0) {
    entries.push({ event: 'roles_changed', ...about, details });
  }
  return entries;
}

function webhookEntries(event: DocEvent): AuditEntry[] {
  const entries = changeEntries(event, 'webhook_changed');
  if (event.before && event.secrets.includes('secret')) {
    entries.push({ event: 'webhook_secret_changed', doctype: 'Webhook', name: event.doc.name });
  }
  return entries;
}

function rolesOf(user: Document | null): string[] {
  return user ? rowsOf(user, 'roles').map((row) => String(row['role'])) : [];
}

/** Entries for added and removed permission rows. */
function docPermEntries({ name: happened, doc, before }: DocEvent): AuditEntry[] {
  if (happened === 'on_trash') return [];
  const [had, has] = [docPermsOf(before), docPermsOf(doc)];
  const details = { added: except(has, had), removed: except(had, has) };
  if (details.added.length + details.removed.length === 0) return [];
  return [{ event: 'permissions_changed', doctype: 'DocType', name: doc.name, details }];
}

/** `Accounts Manager 1 own: read, write`: the level if it is not 0, and `own` for owners only. */
function docPermsOf(doc: Document | null): string[] {
  if (!doc) return [];
  return rowsOf(doc, 'permissions').map((row) => {
    const rights = Object.keys(row).filter((key) => row[key] === 1 && !NO_RIGHTS.has(key));
    const level = row['permlevel'] ? ` ${row['permlevel']}` : '';
    return `${row['role']}${level}${row['if_owner'] === 1 ? ' own' : ''}: ${rights.sort().join(', ')}`;
  });
}

const NO_RIGHTS: ReadonlySet<string> = new Set(['permlevel', 'if_owner', 'idx', 'docstatus']);

function except(list: readonly string[], others: readonly string[]): string[] {
  return list.filter((one) => !others.includes(one));
}

/** The action and the changed fields. A save without changes makes no entry. */
function changeEntries(event: DocEvent, kind: AuditEvent): AuditEntry[] {
  const { name: happened, doctype, doc, before } = event;
  const about = { event: kind, doctype: doctype.name, name: doc.name };
  if (happened === 'on_trash') {
    return [{ ...about, details: { change: 'deleted', ...summary(doctype, doc) } }];
  }
  if (happened === 'after_rename') {
    return [{ ...about, details: { change: 'renamed', from: before?.name ?? '' } }];
  }
  if (!before) return [{ ...about, details: { change: 'created', ...summary(doctype, doc) } }];
  const fields = changedFields(event, before);
  return Object.keys(fields).length === 0 ? [] : [{ ...about, details: { change: 'changed', ...fields } }];
}

/** The document's fields, except empty, long and possibly secret ones. */
function summary(doctype: DocType, doc: Document): AuditDetails {
  const shown = shownFields(doctype).map(({ fieldname }) => [fieldname, toldValue(doc, fieldname)] as const);
  return Object.fromEntries(shown.filter(([, value]) => value !== null && value !== '' && value !== 0));
}

/** `[old, new]` of each changed field. For tables and hidden fields, only the fact of the change. */
function changedFields({ doctype, doc, secrets }: DocEvent, before: Document): AuditDetails {
  const values = new Set(shownFields(doctype));
  const changed: Record<string, AuditDetails[string]> = {};
  for (const field of doctype.fields) {
    const { fieldname } = field;
    const [was, is] = [before[fieldname] ?? null, doc[fieldname] ?? null];
    if (JSON.stringify(was, content) === JSON.stringify(is, content)) continue;
    changed[fieldname] = values.has(field)
      ? [toldValue(before, fieldname), toldValue(doc, fieldname)]
      : 'changed';
  }
  for (const fieldname of secrets) changed[fieldname] = 'changed';
  return changed;
}

// Every save rewrites these fields of rows, so they are not compared.
const BOOKKEEPING: ReadonlySet<string> = new Set(['name', 'modified', 'modified_by', 'creation', 'owner']);

function content(key: string, value: unknown): unknown {
  return BOOKKEEPING.has(key) ? undefined : isRecord(value) ? { ...value } : value;
}

/** Fields whose values may be logged. */
function shownFields(doctype: DocType): readonly DocField[] {
  return doctype.fields.filter((field) => !UNTOLD.has(field.fieldtype) && !doctype.tables.includes(field));
}

/** Field types that contain secrets, or long texts with possible secrets. */
const UNTOLD: ReadonlySet<string> = new Set([
  'Password',
  'Code',
  'JSON',
  'Long Text',
  'Text Editor',
  'HTML Editor',
]);

// The path and query of a URL may contain credentials.
function toldValue(doc: Document, fieldname: string): string | number | null {
  const value = doc[fieldname];
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  const address = /^https?:/i.test(value) ? URL.parse(value) : null;
  return (address?.origin ?? value).slice(0, VALUE);
}
