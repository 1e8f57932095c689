import { LIMITS } from '../../kernel/limits.ts';
import type { Finding, FindingKind } from './finding.ts';
import type { ImportPlan } from './make-plan.ts';
import { describeOwn } from './own-doctypes.ts';

/** What happens to the rows of a finding. */
const EFFECTS: Readonly<Record<FindingKind, string>> = {
  'link differs in case': 'the link gets the name of its document: names are compared exactly here',
  'broken link': 'the link stays as it is, and is listed: its document is not in the backup',
  'link to a doctype left behind': 'the link stays as text: its document does not come',
  'row without parent': 'the row stays behind: no document has it',
  'row of a doctype left behind': 'the row stays behind with its document',
  'date of zeros': 'the date is empty',
  'decimal beyond a double': 'the nearest double is stored',
  'unknown column': 'the values stay behind: no field of the doctype has this name',
  'long name': `the name is shortened to ${LIMITS.nameLength} characters, and links to it follow`,
};

/** A plan as text. What will not run comes first. */
export function renderPlan(plan: ImportPlan): string[] {
  const rows = plan.comes.reduce((sum, table) => sum + table.rows, 0);
  return [
    `Frappe ${plan.frappe ?? 'of an unknown version'} ${plan.engine === null ? 'on a running site' : `on ${plan.engine}`}, with ${plan.apps.join(', ') || 'no named apps'}`,
    plan.timeZone === null
      ? 'The source does not state the zone of its times: name it with --source-time-zone, and set timeZone to it'
      : `Times are in ${plan.timeZone}: the setting timeZone of this server must be the same`,
    '',
    'Will not run here',
    ...(plan.idle.length === 0
      ? ['  nothing']
      : plan.idle.map(({ what, count, names }) => `  ${count} ${what}: ${few(names)}`)),
    ...(plan.idle.length === 0
      ? []
      : ['  Their documents come where they have a table; no code of the old site runs.']),
    '',
    ...renderOwn(plan.own),
    `Comes: ${number(rows)} rows of ${plan.comes.length} tables`,
    ...plan.comes
      .filter((table) => table.rows > 0)
      .map((table) => `  ${table.doctype}: ${number(table.rows)} (${table.becomes})`),
    '',
    `Stays behind: ${plan.staysBehind.length} tables`,
    ...plan.staysBehind.map(
      ({ table, rows, reason }) => `  ${table}${rows === null ? '' : `: ${number(rows)}`} (${reason})`,
    ),
    '',
    'Changes',
    ...(plan.changes.length === 0 ? ['  none'] : plan.changes.map(renderFinding)),
    ...(plan.comparedAll
      ? []
      : ['  There are more names or links than the plan compares; the import compares all.']),
    '',
    'Webhooks come disabled',
    ...plan.webhooks.map(
      ({ webhook, field, problem }) => `  ${webhook}: its ${field} must be written anew: ${problem}`,
    ),
    '',
    ...renderDefinitions(plan.definitions),
  ];
}

/** The import refuses these doctypes, or needs a flag for them, so they come early. */
function renderOwn(own: ImportPlan['own']): string[] {
  if (own === null) return ['Not compared with the doctypes of a site: none can be opened here', ''];
  if (own.length === 0) return [];
  return [
    'This site has these doctypes already',
    ...own.map((one) => `  ${describeOwn(one)}`),
    own.some(({ clash }) => clash !== null)
      ? '  Those that cannot take documents of the source must go first: rename or delete them.'
      : '  The import needs --keep-doctypes: they stay as they are, and take what fits.',
    '',
  ];
}

function renderFinding({ kind, doctype, field, count, examples }: Finding): string {
  const place = field === null ? doctype : `${doctype}.${field}`;
  const named =
    examples.length === 0 ? '' : `, such as ${examples.map((name) => JSON.stringify(name)).join(', ')}`;
  return `  ${place}: ${kind}, ${number(count)} rows${named}; ${EFFECTS[kind]}`;
}

function renderDefinitions({
  doctypes,
  customFields,
  propertySetters,
  permissions,
  notes,
  refused,
  left,
}: ImportPlan['definitions']): string[] {
  return [
    `Definitions: ${doctypes} doctypes, ${customFields} custom fields, ${propertySetters} property setters, ${permissions} permissions of the site`,
    ...refused.map(({ doctype, message }) => `  ${doctype} cannot come: ${message}`),
    ...left.map(
      ({ kind, doctype, names }) =>
        `  ${names.length} ${kind} of ${doctype}, which is built in, stay behind: ${few(names)}`,
    ),
    ...notes.map(
      ({ doctype, message }) => `  ${message.includes(doctype) ? message : `${doctype}: ${message}`}`,
    ),
  ];
}

function few(names: readonly string[]): string {
  const shown = names.slice(0, LIMITS.importExamples).join(', ');
  return names.length > LIMITS.importExamples
    ? `${shown} and ${names.length - LIMITS.importExamples} more`
    : shown;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
