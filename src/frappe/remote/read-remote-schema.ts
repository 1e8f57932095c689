import { BULKY, type SmallRow } from '../plan/read-schema.ts';
import { isFailure } from './remote-error.ts';
import type { RemoteRow, RemoteSite } from './remote-site.ts';
import { byName } from './walk.ts';

/** What a running site says about itself before any document. */
export interface RemoteSchema {
  /** The user of the API key. */
  readonly user: string;
  /** False when the user lacks the role System Manager: much is hidden from it. */
  readonly isSystemManager: boolean;
  /** Versions by app; empty when the site does not tell. */
  readonly versions: ReadonlyMap<string, string>;
  /** The zone of all its times; null when the key may not read System Settings. */
  readonly timeZone: string | null;
  /** Doctypes of definitions that the key may not read, with the site's words. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** The rows of a doctype of definitions. */
  rows(doctype: string): readonly SmallRow[];
}

/** Doctypes whose rows define doctypes, and those of code that will not run: they fit into memory. */
const DEFINITIONS: readonly string[] = [
  ...['DocType', 'Custom Field', 'Property Setter', 'Custom DocPerm', 'Module Def', 'Webhook', 'Role'],
  ...['Server Script', 'Client Script', 'Report', 'Print Format', 'Workflow', 'Notification'],
  ...['Assignment Rule', 'Auto Repeat', 'Auto Email Report', 'Web Form', 'Web Page'],
];

/** Rows of DocType documents. */
const ROWS: readonly (readonly [doctype: string, fieldname: string])[] = [
  ['DocField', 'fields'],
  ['DocPerm', 'permissions'],
];

/** Reads the definitions of a site. @throws RemoteError when the key is unknown, or may not read DocType */
export async function readRemoteSchema(site: RemoteSite): Promise<RemoteSchema> {
  const user = String(await site.call('frappe.auth.get_logged_user'));
  const unreadable = new Map<string, string>();
  const rows = new Map<string, SmallRow[]>();
  const doctypes = await allRows(site, 'DocType');
  rows.set('DocType', doctypes.map(definitionRow));
  const others = DEFINITIONS.filter((doctype) => doctype !== 'DocType');
  await Promise.all([
    readRowsOfDoctypes(site, doctypes, rows),
    ...others.map(async (doctype) => {
      try {
        rows.set(doctype, (await allRows(site, doctype)).map(definitionRow));
      } catch (error) {
        // A site of another version, or without an app, lacks some.
        if (isFailure(error, 'missing')) return;
        if (!isFailure(error, 'denied', 'refused')) throw error;
        unreadable.set(doctype, (error as Error).message);
      }
    }),
  ]);
  return {
    user,
    isSystemManager: await isSystemManager(site, user),
    versions: await readVersions(site),
    timeZone: await readTimeZone(site),
    unreadable,
    rows: (doctype) => rows.get(doctype) ?? [],
  };
}

async function allRows(site: RemoteSite, doctype: string, parent?: string): Promise<RemoteRow[]> {
  const all: RemoteRow[] = [];
  for await (const page of byName(site, doctype, parent === undefined ? {} : { parent })) all.push(...page);
  return all;
}

/** Their fields and permissions: in lists, or with each DocType where the key may not list them. */
async function readRowsOfDoctypes(
  site: RemoteSite,
  doctypes: readonly RemoteRow[],
  rows: Map<string, SmallRow[]>,
): Promise<void> {
  try {
    for (const [child] of ROWS) rows.set(child, (await allRows(site, child, 'DocType')).map(definitionRow));
  } catch (error) {
    if (!isFailure(error, 'denied', 'missing')) throw error;
    const whole = await Promise.all(doctypes.map(({ name }) => site.read('DocType', String(name))));
    for (const [child, fieldname] of ROWS) {
      const listed = whole.flatMap((definition) => {
        const some = definition[fieldname];
        return Array.isArray(some) ? some.map((row) => ({ ...Object(row), parent: definition['name'] })) : [];
      });
      rows.set(child, listed.map(definitionRow));
    }
  }
}

function definitionRow(row: RemoteRow): SmallRow {
  const kept: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(row)) {
    if (BULKY.has(key)) continue;
    if (typeof value === 'string' || typeof value === 'number') kept[key] = value;
    else if (typeof value === 'boolean') kept[key] = value ? 1 : 0;
  }
  return kept;
}

async function isSystemManager(site: RemoteSite, user: string): Promise<boolean> {
  if (user === 'Administrator') return true;
  try {
    const { roles } = await site.read('User', user);
    return Array.isArray(roles) && roles.some((row) => Object(row).role === 'System Manager');
  } catch (error) {
    if (isFailure(error, 'denied', 'missing')) return false;
    throw error;
  }
}

async function readVersions(site: RemoteSite): Promise<ReadonlyMap<string, string>> {
  try {
    const versions = Object(await site.call('frappe.utils.change_log.get_versions')) as Record<
      string,
      unknown
    >;
    return new Map(
      Object.entries(versions).map(([app, about]) => [app, String(Object(about).version ?? '')]),
    );
  } catch (error) {
    if (isFailure(error, 'denied', 'missing', 'refused')) return new Map();
    throw error;
  }
}

async function readTimeZone(site: RemoteSite): Promise<string | null> {
  try {
    const { time_zone: zone } = await site.read('System Settings', 'System Settings');
    return typeof zone === 'string' && zone !== '' ? zone : null;
  } catch (error) {
    if (isFailure(error, 'denied', 'missing')) return null;
    throw error;
  }
}
