import { queryOptions } from '@tanstack/react-query';
import {
  createDocument,
  deleteDocument,
  listRows,
  readDocument,
  updateDocument,
} from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';

/** The doctype of dashboards. */
export const DASHBOARD = 'Dashboard';
/** More would be no choice. The server has no limit. */
const MOST = 100;
/** The server's limit of cards. */
export const MOST_CARDS = 24;

export const CARD_TYPES = ['Chart', 'Number', 'List'] as const;
export type CardType = (typeof CARD_TYPES)[number];
export const WIDTHS = ['Quarter', 'Third', 'Half', 'Full'] as const;
export type Width = (typeof WIDTHS)[number];

/** A card: a saved view, shown in some way. */
export interface Card {
  /** Of this page only: the stored row, or a number of a new one. */
  readonly id: string;
  /** The name of a Saved View. */
  readonly view: string;
  readonly type: CardType;
  /** '' for the view's own. */
  readonly label: string;
  readonly width: Width;
}

/** What a list of dashboards shows. */
export interface DashboardEntry {
  readonly name: string;
  readonly label: string;
  readonly position: number;
  /** None: for everybody. */
  readonly roles: readonly string[];
}

/** A dashboard with its cards. */
export interface Dashboard extends DashboardEntry {
  readonly etag: string | null;
  readonly cards: readonly Card[];
}

/** The dashboards that the user may see, in the order in which Home chooses. */
export const dashboardsQuery = queryOptions({
  queryKey: keys.list(DASHBOARD, {}),
  queryFn: async ({ signal }): Promise<readonly DashboardEntry[]> => {
    const query = {
      fields: ['name', 'label', 'position'],
      order_by: 'position asc, label asc',
      limit_page_length: MOST,
    };
    const rows = await listRows(DASHBOARD, query, { signal });
    const roles = rows.length > 0 ? await rolesOf(signal) : new Map<string, string[]>();
    return rows.map((row) => ({
      name: String(row['name']),
      label: String(row['label']),
      position: Number(row['position'] ?? 0),
      roles: roles.get(String(row['name'])) ?? [],
    }));
  },
});

async function rolesOf(signal: AbortSignal): Promise<ReadonlyMap<string, string[]>> {
  const rows = await listRows<{ parent: string; role: string }>(
    'Has Role',
    {
      parent: DASHBOARD,
      fields: ['parent', 'role'],
      filters: [['parenttype', '=', DASHBOARD]],
      limit_page_length: 1_000,
    },
    { signal },
  );
  const found = new Map<string, string[]>();
  for (const { parent, role } of rows) found.set(parent, [...(found.get(parent) ?? []), role]);
  return found;
}

/** One dashboard. */
export function dashboardQuery(name: string) {
  return queryOptions({
    queryKey: keys.doc(DASHBOARD, name),
    queryFn: async ({ signal }): Promise<Dashboard> => {
      const { doc, etag } = await readDocument(DASHBOARD, name, { signal });
      return {
        name: doc.name,
        etag,
        label: String(doc['label'] ?? ''),
        position: Number(doc['position'] ?? 0),
        roles: rowsIn(doc['roles']).map((row) => String(row['role'])),
        cards: rowsIn(doc['cards']).map(cardOf),
      };
    },
  });
}

function cardOf(row: Readonly<Record<string, unknown>>): Card {
  return {
    id: String(row['name']),
    view: String(row['view'] ?? ''),
    type: CARD_TYPES.find((one) => one === row['type']) ?? 'Chart',
    label: String(row['label'] ?? ''),
    width: WIDTHS.find((one) => one === row['width']) ?? 'Half',
  };
}

/** What a user decides about a dashboard, apart from its cards. */
export type DashboardFields = Pick<DashboardEntry, 'label' | 'position' | 'roles'>;

/** Creates a dashboard without cards. Resolves to its name. */
export async function createDashboard(fields: DashboardFields): Promise<string> {
  const { doc } = await createDocument(DASHBOARD, wireOf(fields));
  await refreshDashboards();
  return doc.name;
}

/** Saves the cards or the fields of a dashboard, unless somebody else changed it since it was loaded. */
export async function saveDashboard(
  { name, etag }: Pick<Dashboard, 'name' | 'etag'>,
  changes: Partial<DashboardFields & Pick<Dashboard, 'cards'>>,
): Promise<void> {
  await updateDocument(DASHBOARD, name, wireOf(changes), { etag });
  await refreshDashboards();
}

/** Deletes a dashboard. `leave` runs before any reload, because its screen would fail. */
export async function deleteDashboard(name: string, leave: () => void): Promise<void> {
  await deleteDocument(DASHBOARD, name);
  leave();
  queryClient.removeQueries({ queryKey: keys.doc(DASHBOARD, name) });
  await queryClient.invalidateQueries({ queryKey: keys.lists(DASHBOARD) });
}

function wireOf({ roles, cards, ...fields }: Partial<DashboardFields & Pick<Dashboard, 'cards'>>) {
  return {
    ...fields,
    ...(roles && { roles: roles.map((role) => ({ role })) }),
    ...(cards && { cards: cards.map(({ id: _, label, ...card }) => ({ ...card, label: label || null })) }),
  };
}

async function refreshDashboards(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.lists(DASHBOARD) }),
    queryClient.invalidateQueries({ queryKey: ['doc', DASHBOARD] }),
  ]);
}

function rowsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value : [];
}
