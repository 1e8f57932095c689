import type { SmallRow, SourceSchema } from './read-schema.ts';

/** Code and rules of a source that this server does not run. */
export interface Idle {
  readonly what: string;
  readonly count: number;
  /** All names, in order. */
  readonly names: readonly string[];
}

/** Doctypes whose documents are code or rules, which come as documents, or stay behind, and never run. */
const CODE: readonly (readonly [doctype: string, isActive: (row: SmallRow) => boolean])[] = [
  ['Server Script', ({ disabled }) => disabled !== 1],
  ['Client Script', ({ enabled }) => enabled !== 0],
  ['Report', ({ is_standard, disabled }) => is_standard !== 'Yes' && disabled !== 1],
  ['Print Format', ({ standard, disabled }) => standard !== 'Yes' && disabled !== 1],
  ['Workflow', ({ is_active }) => is_active !== 0],
  ['Notification', ({ enabled }) => enabled !== 0],
  ['Assignment Rule', ({ disabled }) => disabled !== 1],
  ['Auto Repeat', ({ disabled }) => disabled !== 1],
  ['Auto Email Report', ({ enabled }) => enabled !== 0],
  ['Web Form', ({ published }) => published === 1],
  ['Web Page', ({ published }) => published === 1],
];

/** What will not run, most important first: the Python of each app's doctypes, then scripts and rules. */
export function idleCode(schema: Pick<SourceSchema, 'rows'>): Idle[] {
  const apps = new Map(schema.rows('Module Def').map((row) => [row['name'], String(row['app_name'] ?? '')]));
  const coded = schema.rows('DocType').filter((row) => row['custom'] !== 1 && row['istable'] !== 1);
  const byApp = Map.groupBy(coded, (row) => String(row['app'] ?? apps.get(row['module'] ?? '') ?? ''));
  const controllers = [...byApp].map(([app, rows]) =>
    idle(`Python controllers of ${app === '' ? 'unknown apps' : `the app ${app}`}`, rows),
  );
  const scripts = CODE.map(([doctype, isActive]) => idle(doctype, schema.rows(doctype).filter(isActive)));
  return [...controllers, ...scripts].filter(({ count }) => count > 0);
}

function idle(what: string, rows: readonly SmallRow[]): Idle {
  const names = rows.map(({ name }) => String(name)).sort();
  return { what, count: names.length, names };
}
