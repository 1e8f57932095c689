import type { ColumnSpec, SchemaChange } from '../db/dialect.ts';
import type { PlannedDrop, PlannedLoss, SitePlan, TablePlan } from '../site/schema/migration/plan-site.ts';

/**
 * A plan as lines of text: the changes of `chancery migrate`, and the further changes of `--allow-data-loss`.
 */
export function renderPlan(plan: SitePlan): string[] {
  const { isNew, systemSteps, tables, drops, links, patches, fixtures, notes } = plan;
  const lines: string[] = [];
  if (isNew) lines.push('There is no site yet; the migration would create one.');
  for (const step of systemSteps) lines.push(`System tables: ${step}`);
  for (const table of tables) {
    if (table.changes.length === 0) continue;
    lines.push(
      `${table.doctype}${rowsOf(table)}`,
      ...table.changes.map((change) => `  ${describe(change, table)}`),
    );
  }
  for (const { doctype, fieldname, from, to } of links) {
    lines.push(`${doctype}: on_delete of ${fieldname} changes from ${from} to ${to}`);
  }
  for (const patch of patches) lines.push(`Patch ${patch}: to be run`);
  for (const file of fixtures) lines.push(`Fixtures ${file}: to be applied`);
  if (lines.length === 0) lines.push('Everything is up to date.');
  for (const note of notes) lines.push(`Note: ${note}`);
  const losses = tables.flatMap((table) => table.losses.map((loss) => `  ${describeLoss(table, loss)}`));
  const gone = drops.map((drop) => `  ${describeDrop(drop)}`);
  if (losses.length + gone.length === 0) return lines;
  return [...lines, '', 'Only with --allow-data-loss:', ...losses, ...gone];
}

function rowsOf({ rows, changes }: TablePlan): string {
  if (changes[0]?.change === 'create_table') return ': new table';
  return ` (${plural(rows, 'row')})`;
}

function describe(change: SchemaChange, { rows }: TablePlan): string {
  switch (change.change) {
    case 'create_table':
      return `create table, ${plural(change.table.columns.length, 'column')}, ${plural(change.table.indexes.length, 'index')}`;
    case 'add_column':
      return `add column ${columnOf(change.column)}`;
    case 'alter_column':
      return `change column ${change.to.name} ${alterationOf(change)}: rewrites ${plural(rows, 'row')}`;
    case 'create_index':
      return `create ${change.index.unique ? 'unique ' : ''}index on ${change.index.columns.join(', ')}`;
    case 'drop_index':
      return `drop index ${change.index}`;
    case 'drop_column':
      return `drop column ${change.column}`;
    case 'rename_column':
      return `rename column ${change.column} to ${change.to}`;
    case 'drop_table':
      return 'drop table';
  }
}

function alterationOf({ from, to }: Extract<SchemaChange, { change: 'alter_column' }>): string {
  if (from.kind !== to.kind) return `from ${from.kind} to ${to.kind}`;
  return to.notNullDefault === null
    ? 'to store null for unset values from now on'
    : `to store ${JSON.stringify(to.notNullDefault)} for unset values, instead of null`;
}

function columnOf({ name, kind }: ColumnSpec): string {
  return `${name} (${kind})`;
}

function describeLoss({ doctype, rows }: TablePlan, { loss, lost, required }: PlannedLoss): string {
  if (loss.loss === 'column') {
    const why = required ? ', in conflict with a field whose name differs only in case' : '';
    return `${doctype}: drop column ${loss.column.name}, whose field is gone${why}: ${plural(lost.count, 'value')} lost`;
  }
  const named =
    lost.examples.length === 0
      ? ''
      : ` (${lost.examples.join(', ')}${lost.count > lost.examples.length ? ', …' : ''})`;
  return `${doctype}: change column ${loss.to.name} from ${loss.from.kind} to ${loss.to.kind}: ${lost.count} of ${plural(rows, 'value')} lost${named}`;
}

function describeDrop({ name, app, rows, usedBy }: PlannedDrop): string {
  const from = `${name}, of the app ${app}, which is not loaded or no longer defines it`;
  if (usedBy.length > 0) return `${from}: kept, because ${usedBy.join(', ')} refers to it`;
  return `${from}: drop table with ${plural(rows, 'document')}`;
}

function plural(count: number, what: string): string {
  const plural = what === 'index' ? 'indexes' : `${what}s`;
  return `${count.toLocaleString('en-US')} ${count === 1 ? what : plural}`;
}
