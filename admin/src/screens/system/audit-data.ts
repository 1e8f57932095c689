import { currentCustoms } from '../../base/format.ts';
import { timestampOf } from '../../base/time-zone.ts';
import type { Filter, ListQuery } from '../../data/documents.ts';

/** An entry of the audit log. */
export interface AuditEntry {
  readonly name: string;
  readonly creation: string;
  readonly event: string;
  readonly outcome: 'Success' | 'Failed';
  readonly user: string;
  readonly credential: string;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
  readonly reference_doctype: string | null;
  readonly reference_name: string | null;
  readonly occurrences: number;
  /** JSON. */
  readonly details: string | null;
}

export const AUDIT_FIELDS = [
  ...['name', 'creation', 'event', 'outcome', 'user', 'credential', 'address', 'user_agent', 'request_id'],
  ...['reference_doctype', 'reference_name', 'occurrences', 'details'],
];

/** Events of the sign-in attempts. */
export const SIGN_IN_EVENTS = ['login', 'login_failed', 'key_refused'] as const;

/** Time spans, in hours. */
export const SPANS = { '1h': 1, '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const;
export type Span = keyof typeof SPANS;

/** Filters of the log, as the address holds them. */
export interface AuditFilters {
  readonly user: string;
  readonly event: string;
  readonly doctype: string;
  readonly address: string;
  readonly outcome: '' | 'Success' | 'Failed';
  readonly span: Span | null;
}

/** Reads the filters of an address, which users can edit. */
export function auditFiltersOf(search: Readonly<Record<string, unknown>>): AuditFilters {
  const text = (key: string) => (typeof search[key] === 'string' ? search[key].trim() : '');
  const outcome = text('outcome');
  const span = text('span');
  return {
    user: text('user'),
    event: text('event'),
    doctype: text('doctype'),
    address: text('address'),
    outcome: outcome === 'Success' || outcome === 'Failed' ? outcome : '',
    span: span in SPANS ? (span as Span) : null,
  };
}

/** The filters as search parameters: undefined for those that are not set. */
export function auditSearchOf(filters: AuditFilters): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(filters).map(([key, value]) => [key, value || undefined]));
}

/** The query of the list. `events` limits it to some events. */
export function auditQuery(
  filters: AuditFilters,
  events: readonly string[] | null,
  now = Date.now(),
): ListQuery {
  const { user, event, doctype, address, outcome, span } = filters;
  const conditions: (Filter | false)[] = [
    user !== '' && ['user', 'like', `%${literal(user)}%`],
    event !== '' ? ['event', '=', event] : events !== null && ['event', 'in', [...events]],
    doctype !== '' && ['reference_doctype', 'like', `%${literal(doctype)}%`],
    address !== '' && ['address', 'like', `${literal(address)}%`],
    outcome !== '' && ['outcome', '=', outcome],
    span !== null && [
      'creation',
      '>=',
      timestampOf(now - SPANS[span] * 3_600_000, currentCustoms().siteZone),
    ],
  ];
  return {
    fields: AUDIT_FIELDS,
    filters: conditions.filter((one) => one !== false),
    order_by: 'creation desc',
  };
}

// In a pattern, these characters have a meaning.
function literal(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

/** The details of an entry; empty if there are none or they are no object. */
export function detailsOf({ details }: Pick<AuditEntry, 'details'>): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(details ?? '{}');
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
