import type { PlannedTable } from '../plan/make-plan.ts';
import { renderPlan } from '../plan/render-plan.ts';
import type { ImportReport } from './import-backup.ts';
import { missingRows, type Proof } from './prove.ts';
import type { Change } from './tally.ts';

/** The report of an import as text. */
export function renderReport(report: ImportReport): string[] {
  const { documents, credentials, files, proof, plan } = report;
  const differing = proof.columns.filter(({ differing }) => differing > 0);
  return [
    `Load ${report.load}: ${plan.definitions.doctypes} doctypes; documents: ${count(documents.inserted)} stored, ` +
      `${count(documents.skipped)} were here already, ${count(documents.failed)} refused`,
    `Credentials: ${credentials.passwords} passwords, ${credentials.apiKeys} API keys, ${credentials.series} series`,
    `Files: ${count(files.stored)} stored (${count(files.bytes)} bytes), ${count(files.known)} known, ` +
      `${count(files.unused)} without a File document, ${count(files.missing)} not in the backup`,
    `Broken links: ${count(report.brokenLinks)}`,
    ...report.refused.map((problem) => `Refused: ${problem}`),
    '',
    'Changed on the way',
    ...report.changes.map(renderChange),
    '',
    `Proof: ${proof.columns.length - differing.length} of ${proof.columns.length} columns are equal; ` +
      `${proof.secrets.equal} of ${proof.secrets.source} secrets are equal`,
    ...plan.comes.flatMap((table) => renderTable(table, proof)),
    ...differing.flatMap(({ doctype, column, differing, examples }) => [
      `  ${doctype}.${column}: ${differing} rows differ`,
      ...examples.map(
        ({ name, source, here }) => `    ${name}: ${JSON.stringify(source)} is ${JSON.stringify(here)}`,
      ),
    ]),
    '',
    'The plan was',
    ...renderPlan(plan).map((line) => (line === '' ? '' : `  ${line}`)),
  ];
}

function renderChange({ what, doctype, field, count, examples }: Change): string {
  const named = examples.map((name) => JSON.stringify(name)).join(', ');
  return `  ${field === null ? doctype : `${doctype}.${field}`}: ${what}, ${count}: ${named}`;
}

/** The rows of a table that are not here, and why; nothing where all are. */
function renderTable({ doctype, rows, becomes }: PlannedTable, proof: Proof): string[] {
  const found = proof.tables.find((table) => table.doctype === doctype);
  const { source = 0, skipped = 0, failed = 0, here = 0 } = found ?? {};
  const missing = found ? missingRows(found) : 0;
  if (becomes === 'definition' || rows === here) return [];
  const reasons = [
    ...(skipped > 0 ? [`${count(skipped)} were here already`] : []),
    ...(failed > 0 ? [`${count(failed)} were refused`] : []),
    ...(rows > source ? [`${count(rows - source)} belong to nobody, or are this server's own`] : []),
    ...(missing > 0 ? [`${count(missing)} are missing here`] : []),
  ];
  return [`  ${doctype}: ${count(rows)} rows there, ${count(here)} here; ${reasons.join(', ')}`];
}

function count(value: number): string {
  return value.toLocaleString('en');
}
