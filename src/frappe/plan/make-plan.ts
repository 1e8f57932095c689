import type { Note } from '../../doctype/note.ts';
import type { Engine } from '../dump/source.ts';
import type { SourceDatabase } from '../input/read-database.ts';
import { builtInDefinitions } from './built-in.ts';
import type { Finding } from './finding.ts';
import { type Idle, idleCode } from './idle-code.ts';
import { DEFINING, MAPPED, whyLeftBehind } from './left-behind.ts';
import type { OwnDoctype } from './own-doctypes.ts';
import { doctypeOf, readSchema, type SourceSchema } from './read-schema.ts';
import { scanRows } from './scan-rows.ts';
import { type LeftCustomization, type SourceDefinitions, sourceDefinitions } from './source-definitions.ts';
import { type WebhookProblem, webhookProblems } from './webhook-texts.ts';

/** What an import would do, and why. */
export interface ImportPlan {
  /** Null for a running site. */
  readonly engine: Engine | null;
  /** Frappe's version; null when the dump does not name it. */
  readonly frappe: string | null;
  readonly apps: readonly string[];
  /** The zone of all times; this server's must be the same. */
  readonly timeZone: string | null;
  /** What will not run here. */
  readonly idle: readonly Idle[];
  readonly comes: readonly PlannedTable[];
  readonly staysBehind: readonly LeftTable[];
  readonly changes: readonly Finding[];
  /** Webhooks come disabled; these need another condition or body first. */
  readonly webhooks: readonly WebhookProblem[];
  /** False when the dump has more names or links than the plan compares. */
  readonly comparedAll: boolean;
  readonly definitions: PlannedDefinitions;
  /** Doctypes of the source that this site has already; null when no site can be opened. */
  readonly own: readonly OwnDoctype[] | null;
}

export interface PlannedDefinitions {
  readonly doctypes: number;
  readonly customFields: number;
  readonly propertySetters: number;
  readonly permissions: number;
  readonly notes: readonly Note[];
  readonly refused: readonly Note[];
  readonly left: readonly LeftCustomization[];
}

export interface PlannedTable {
  readonly doctype: string;
  readonly rows: number;
  readonly becomes: 'doctype' | 'child table' | 'built-in doctype' | 'definition';
}

export interface LeftTable {
  readonly table: string;
  /** Null when they were not counted. */
  readonly rows: number | null;
  readonly reason: string;
}

/** The schema and definitions of a source, and which of its doctypes come. */
export interface Source {
  readonly schema: SourceSchema;
  readonly definitions: SourceDefinitions;
  comes(doctype: string): boolean;
}

/** Reads the definitions of a source, and decides which doctypes come. */
export async function openSource(database: SourceDatabase): Promise<Source> {
  const schema = await readSchema(database);
  const definitions = sourceDefinitions(schema, builtInDefinitions());
  const created = new Set(definitions.created.map(({ name }) => name));
  return { schema, definitions, comes: (doctype) => created.has(doctype) || MAPPED.has(doctype) };
}

/** Plans an import. Reads the rows of the dump and changes nothing. */
export async function makePlan(
  database: SourceDatabase,
  source: Source,
  own: ImportPlan['own'],
): Promise<ImportPlan> {
  const { schema, definitions } = source;
  const { counts, findings, comparedAll } = await scanRows(database, definitions.registry, source.comes);
  const builtInNames = new Set(builtInDefinitions().map(({ name }) => name));
  const refused = new Map(definitions.refused.map(({ doctype, message }) => [doctype, message]));
  const comes: PlannedTable[] = [];
  const staysBehind: LeftTable[] = [];
  const described = new Set(schema.rows('DocType').map(({ name }) => String(name)));
  for (const table of schema.tables.keys()) {
    const rows = counts.get(table) ?? 0;
    const doctype = doctypeOf(table);
    const becomes = doctype === null ? null : becomesOf(doctype, source, builtInNames);
    if (doctype !== null && becomes !== null) comes.push({ doctype, rows, becomes });
    else if (!CARRIED.has(table)) {
      const reason = reasonFor(table, doctype, described, refused, builtInNames);
      staysBehind.push({ table, rows, reason });
    }
  }
  return {
    engine: schema.engine,
    frappe: schema.version,
    apps: appsOf(schema),
    timeZone: schema.timeZone,
    idle: idleCode(schema),
    comes: comes.sort((one, other) => (one.doctype < other.doctype ? -1 : 1)),
    staysBehind: staysBehind.sort((one, other) => (one.table < other.table ? -1 : 1)),
    changes: findings,
    webhooks: webhookProblems(schema),
    comparedAll,
    definitions: plannedDefinitions(definitions),
    own,
  };
}

export function plannedDefinitions(definitions: SourceDefinitions): PlannedDefinitions {
  const { created, customFields, propertySetters, permissions, notes, refused, left } = definitions;
  return {
    doctypes: created.length,
    customFields: customFields.length,
    propertySetters: propertySetters.length,
    permissions: permissions.length,
    notes,
    refused,
    left,
  };
}

/** Tables that are no doctypes, whose rows come: passwords, the values of singles, the numbers of series. */
const CARRIED: ReadonlySet<string> = new Set(['__Auth', 'tabSingles', 'tabSeries']);

/** What a doctype of a source becomes here; null when it stays behind. */
export function becomesOf(
  doctype: string,
  { comes, definitions }: Pick<Source, 'comes' | 'definitions'>,
  builtIn: ReadonlySet<string>,
): PlannedTable['becomes'] | null {
  if (DEFINING.has(doctype)) return 'definition';
  if (!comes(doctype)) return null;
  if (builtIn.has(doctype)) return 'built-in doctype';
  return definitions.registry.get(doctype).istable ? 'child table' : 'doctype';
}

/** Why a table of a source stays behind. */
export function reasonFor(
  table: string,
  doctype: string | null,
  described: ReadonlySet<string>,
  refused: ReadonlyMap<string, string>,
  builtIn: ReadonlySet<string>,
): string {
  if (doctype === null)
    return table.startsWith('__') ? 'a table of Frappe itself' : 'not a table of a doctype';
  const reason = whyLeftBehind(doctype) ?? refused.get(doctype);
  if (reason !== undefined) return reason;
  if (builtIn.has(doctype)) return 'this server has its own';
  return described.has(doctype) ? 'its DocType is virtual' : 'there is no DocType of this name';
}

function appsOf(schema: SourceSchema): string[] {
  const installed = schema
    .rows('Installed Application')
    .map((row) => `${row['app_name']} ${row['app_version'] ?? ''}`.trim());
  const named = schema
    .rows('Module Def')
    .flatMap(({ app_name }) => (app_name === undefined ? [] : [String(app_name)]));
  return installed.length > 0 ? installed : [...new Set(named)];
}
