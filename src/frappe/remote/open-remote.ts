import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { builtInDefinitions } from '../plan/built-in.ts';
import { idleCode } from '../plan/idle-code.ts';
import { DEFINING, MAPPED } from '../plan/left-behind.ts';
import {
  becomesOf,
  type ImportPlan,
  type LeftTable,
  type PlannedTable,
  plannedDefinitions,
  reasonFor,
} from '../plan/make-plan.ts';
import { keptSingles } from '../plan/own-doctypes.ts';
import { type SourceDefinitions, sourceDefinitions } from '../plan/source-definitions.ts';
import { webhookProblems } from '../plan/webhook-texts.ts';
import type { RemoteShape } from './document-rows.ts';
import { eachOf } from './each-of.ts';
import { type RemoteSchema, readRemoteSchema } from './read-remote-schema.ts';
import { isFailure } from './remote-error.ts';
import type { RemoteSite } from './remote-site.ts';

/** A running site, with what comes from it. */
export interface RemoteSource {
  readonly site: RemoteSite;
  readonly schema: RemoteSchema;
  readonly definitions: SourceDefinitions;
  /** Documents by doctype, of those that come; 1 for a single. */
  readonly counts: ReadonlyMap<string, number>;
  /** Doctypes that would come, and that the key may not read, with the site's words. */
  readonly denied: ReadonlyMap<string, string>;
  comes(doctype: string): boolean;
}

/** What this server needs first: roles, then users. */
const FIRST = ['Role', 'Role Profile', 'User'];

/** Users of this server, who do not come. */
const OWN_USERS: ReadonlySet<string> = new Set(['Administrator', 'Guest']);

/** Reads the definitions of a running site, and counts the documents that come. */
export async function openRemote(site: RemoteSite): Promise<RemoteSource> {
  const schema = await readRemoteSchema(site);
  const definitions = sourceDefinitions({ rows: schema.rows, tables: new Map() }, builtInDefinitions());
  const created = new Set(definitions.created.map(({ name }) => name));
  const counts = new Map<string, number>();
  const denied = new Map<string, string>();
  const comes = (doctype: string) => created.has(doctype) || MAPPED.has(doctype);
  const there = new Set(schema.rows('DocType').map(({ name }) => String(name)));
  const doctypes = definitions.registry.all().filter(({ name }) => comes(name) && there.has(name));
  const counted = doctypes.filter(({ istable, rowsFrom }) => !istable && rowsFrom === 'table');
  await eachOf(counted, async (doctype) => {
    try {
      counts.set(doctype.name, await countOf(site, doctype));
    } catch (error) {
      if (!isFailure(error, 'denied', 'missing', 'refused')) throw error;
      denied.set(doctype.name, (error as Error).message);
    }
  });
  return { site, schema, definitions, counts, denied, comes: (name) => comes(name) && !denied.has(name) };
}

async function countOf(site: RemoteSite, { name, issingle }: DocType): Promise<number> {
  if (issingle) {
    await site.read(name, name);
    return 1;
  }
  const count = Number(await site.call('frappe.client.get_count', { doctype: name }));
  return name === 'User' ? Math.max(0, count - OWN_USERS.size) : count;
}

/** The doctypes that come, of those that this site has, in the order in which they are loaded. */
export function shapesOf(
  { definitions, counts }: RemoteSource,
  here: DoctypeRegistry,
): readonly RemoteShape[] {
  const place = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return [...counts.keys()]
    .filter((doctype) => here.find(doctype))
    .sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1))
    .map((doctype) => ({
      doctype,
      tables: definitions.registry
        .get(doctype)
        .tables.filter(({ options }) => definitions.registry.find(options))
        .map(({ fieldname, options }) => ({ fieldname, doctype: options })),
      ...(doctype === 'User' ? { without: OWN_USERS } : {}),
    }));
}

/** The plan of an import from a running site. */
export function planRemote(source: RemoteSource, own: ImportPlan['own']): ImportPlan {
  const { schema, definitions, counts, denied } = source;
  const builtIn = new Set(builtInDefinitions().map(({ name }) => name));
  const described = new Set(schema.rows('DocType').map(({ name }) => String(name)));
  const refused = new Map(definitions.refused.map(({ doctype, message }) => [doctype, message]));
  const comes: PlannedTable[] = [];
  const staysBehind: LeftTable[] = [];
  const kept = keptSingles(own ?? []);
  for (const doctype of [...described].sort()) {
    const becomes = kept.has(doctype) ? null : becomesOf(doctype, source, builtIn);
    // Definitions and rows of child tables are not counted: they come with their documents.
    if (becomes !== null) comes.push({ doctype, rows: counts.get(doctype) ?? 0, becomes });
    else {
      const reason = kept.has(doctype)
        ? 'this site has it already'
        : (denied.get(doctype) ?? reasonFor(doctype, doctype, described, refused, builtIn));
      staysBehind.push({ table: doctype, rows: null, reason });
    }
  }
  return {
    engine: null,
    frappe: schema.versions.get('frappe') ?? null,
    apps: [...schema.versions].filter(([app]) => app !== 'frappe').map((about) => about.join(' ')),
    timeZone: schema.timeZone,
    idle: idleCode(schema),
    comes: comes.filter(({ doctype }) => !DEFINING.has(doctype)),
    staysBehind,
    changes: [],
    webhooks: webhookProblems(schema),
    comparedAll: true,
    definitions: plannedDefinitions(definitions),
    own,
  };
}
