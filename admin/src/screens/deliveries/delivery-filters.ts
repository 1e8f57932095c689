import { timestampOf } from '../../base/time-zone.ts';
import { type DeliveryState, STATES } from '../../data/deliveries.ts';
import type { Filter } from '../../data/documents.ts';

/** Time spans of the filter, in hours. */
export const SPANS = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const;
export type Span = keyof typeof SPANS;

/** Kinds of responses: the class of the status, or no response. */
export const ANSWERS = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
export type Answer = (typeof ANSWERS)[number];

/** Filters of the deliveries list in the address. */
export interface DeliveryFilters {
  readonly status: readonly DeliveryState[];
  readonly http: Answer | null;
  readonly webhook: string;
  /** Part of a document's name. */
  readonly document: string;
  readonly span: Span | null;
  /** Minimum attempts; 0 for any number. */
  readonly attempts: number;
}

type Search = Readonly<Record<string, unknown>>;

/** Parses the filters from search parameters. Users can edit these, so any value is possible. */
export function filtersOf(search: Search): DeliveryFilters {
  const status = text(search['status']).split(',');
  const http = text(search['http']);
  const span = text(search['span']);
  const attempts = Number(search['attempts'] ?? 0);
  return {
    status: STATES.filter((one) => status.includes(one)),
    http: ANSWERS.find((one) => one === http) ?? null,
    webhook: text(search['webhook']),
    document: text(search['document']),
    span: isSpan(span) ? span : null,
    attempts: Number.isInteger(attempts) && attempts > 0 ? attempts : 0,
  };
}

/** The filters as search parameters. Unset filters are undefined and leave the address. */
export function searchOf(filters: DeliveryFilters): Readonly<Record<string, string | number | undefined>> {
  return {
    status: filters.status.join(',') || undefined,
    http: filters.http ?? undefined,
    webhook: filters.webhook || undefined,
    document: filters.document || undefined,
    span: filters.span ?? undefined,
    attempts: filters.attempts || undefined,
  };
}

/** The number of set filters. */
export function filterCount(filters: DeliveryFilters): number {
  return Object.values(searchOf(filters)).filter((one) => one !== undefined).length;
}

/** The filters in wire form. Time spans end at `now`, in milliseconds. */
export function requestFilters(filters: DeliveryFilters, now: number, zone: string): Filter[] {
  const list: Filter[] = [];
  if (filters.webhook) list.push(['webhook', '=', filters.webhook]);
  list.push(...stateFilters(filters.status));
  if (filters.http === 'none') list.push(['response_status', '=', 0], ['attempt', '>', 0]);
  else if (filters.http) {
    const first = Number(filters.http[0]) * 100;
    list.push(['response_status', 'between', [first, first + 99]]);
  }
  if (filters.document) list.push(['reference_document', 'like', `%${filters.document}%`]);
  if (filters.span) {
    const since = timestampOf(now - SPANS[filters.span] * 3_600_000, zone);
    list.push(['creation', '>=', since]);
  }
  if (filters.attempts > 0) list.push(['attempt', '>=', filters.attempts]);
  return list;
}

/** States as conditions: `Recovered` is not a status of its own in the log. */
function stateFilters(states: readonly DeliveryState[]): Filter[] {
  const statuses = states.filter((one) => one !== 'Recovered');
  const isRecovered = states.includes('Recovered');
  if (states.length === 0) return [];
  if (!isRecovered && statuses.includes('Exhausted'))
    return [
      ['status', 'in', statuses],
      ['recovered', '=', 0],
    ];
  if (!isRecovered) return [['status', 'in', statuses]];
  if (statuses.length === 0) return [['recovered', '=', 1]];
  if (statuses.includes('Exhausted')) return [['status', 'in', statuses]];
  // Conditions nest; the type of a filter names only plain ones.
  return [[['status', 'in', statuses], 'or', ['recovered', '=', 1]] as unknown as Filter];
}

function isSpan(value: string): value is Span {
  return Object.hasOwn(SPANS, value);
}

function text(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}
