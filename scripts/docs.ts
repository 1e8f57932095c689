/** Writes the tables of docs/ that follow from declarations: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fileVariable, type NamedSetting } from '../src/config/setting.ts';
import { SETTINGS } from '../src/config/settings.ts';
import type { Access, Address } from '../src/http/address/address.ts';
import { ADDRESSES } from '../src/http/addresses.ts';
import type { AddressRow, DocumentAddress } from '../src/http/documents/address-row.ts';
import { DOCUMENT_ADDRESSES } from '../src/http/documents/addresses.ts';
import { DOCUMENT_ROUTES, PATHS } from '../src/http/documents/document-routes.ts';

interface Table {
  readonly page: string;
  /** Names the table in the comments around it. */
  readonly mark: string;
  readonly source: string;
  readonly head: readonly string[];
  readonly rows: () => readonly (readonly string[])[];
}

const TABLES: readonly Table[] = [
  {
    page: 'configuration.md',
    mark: 'settings',
    source: 'src/config/settings.ts',
    head: ['setting', 'environment', 'flag', 'default', 'System Settings', 'meaning'],
    rows: () => SETTINGS.map(settingRow),
  },
  {
    page: 'wire.md',
    mark: 'addresses of documents',
    source: 'src/http/documents/addresses.ts',
    head: ['', 'v1', 'v2', 'methods', 'events'],
    rows: () => DOCUMENT_ADDRESSES.map(documentRow),
  },
  {
    page: 'wire.md',
    mark: 'other addresses',
    source: 'src/http/addresses.ts',
    head: ['address', 'callers', ''],
    rows: () =>
      ADDRESSES.filter(({ sameAs, path }) => !sameAs && !OF_DOCUMENTS.has(path)).flatMap(addressRows),
  },
];

const OF_DOCUMENTS = new Set(DOCUMENT_ROUTES.map(({ path }) => path));

/** A page as it is, and as the declarations want it. */
export interface Page {
  readonly file: string;
  readonly found: string;
  readonly wanted: string;
}

/** Every page with such a table. */
export function pages(): readonly Page[] {
  return [...new Set(TABLES.map(({ page }) => page))].map((page) => {
    const file = fileURLToPath(new URL(`../docs/${page}`, import.meta.url));
    const found = readFileSync(file, 'utf8');
    const tables = TABLES.filter((table) => table.page === page);
    return { file, found, wanted: tables.reduce(withTable, found) };
  });
}

function withTable(page: string, { mark, source, head, rows }: Table): string {
  const begin = `<!-- ${mark}: written by \`npm run docs\` from ${source} -->`;
  const end = `<!-- end of ${mark} -->`;
  const [before, rest, ...more] = page.split(begin);
  const [, after, ...others] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined || more.length + others.length > 0)
    throw new Error(`a page must contain ${begin} and ${end} once`);
  const lines = [head, head.map(() => '---'), ...rows()].map((cells) => `| ${cells.join(' | ')} |`);
  return `${before}${begin}\n\n${lines.join('\n')}\n\n${end}${after}`;
}

function variableNames(setting: NamedSetting): readonly string[] {
  return [setting.variable, ...(setting.envAlias ? [setting.envAlias] : [])].flatMap((name) =>
    setting.secret ? [name, fileVariable(name)] : [name],
  );
}

function settingRow(setting: NamedSetting): readonly string[] {
  return [
    code(setting.path),
    variableNames(setting).map(code).join(', '),
    flagOf(setting),
    defaultOf(setting),
    setting.live ? code(setting.live.field) : '',
    prose(setting.neverEmpty ? `${setting.help}; must not be empty` : setting.help),
  ];
}

function flagOf({ flag, offFlag }: NamedSetting): string {
  const name = flag ?? offFlag?.name;
  return name === undefined ? '' : code(`--${name}`);
}

function defaultOf({ unset, default: value }: NamedSetting): string {
  if (unset !== undefined) return prose(unset);
  return value === null ? 'none' : code(JSON.stringify(value));
}

function documentRow({ operation, v1, v2, rpc }: AddressRow): readonly string[] {
  const cell = (addresses: readonly DocumentAddress[]) => addresses.map(documentAddress).join(', ');
  const { events = [] } = operation;
  const announced = events === 'any' ? "the method's own" : events.map(code).join(', ');
  return [operation.summary, cell(v1), cell(v2), rpc.map(code).join(', '), announced];
}

function documentAddress({ version, part, verbs }: DocumentAddress): string {
  const path = (PATHS[version][part] ?? '').replaceAll('{', '<').replaceAll('}', '>');
  return code(`${verbs.join(', ')} ${path}`);
}

const CALLERS: Readonly<Record<Access, string>> = {
  guest: 'everybody',
  user: 'users',
  permission: 'by permission',
  client: 'with own credentials',
};

/** One row for the verbs with the same summary. */
function addressRows({ path, access, verbs }: Address): readonly (readonly string[])[] {
  const paths = [path, ...ADDRESSES.filter(({ sameAs }) => sameAs === path).map((alias) => alias.path)];
  const bySummary = Map.groupBy(Object.entries(verbs), ([, { summary }]) => summary);
  return [...bySummary].map(([summary, same]) => {
    const names = same.map(([verb]) => verb).join(', ');
    const shown = paths.map((one) => one.replaceAll(/:(\w+)/g, '<$1>').replace('*', '<path>'));
    return [shown.map((one) => code(`${names} ${one}`)).join(', '), CALLERS[access], summary];
  });
}

function code(text: string): string {
  return `\`${text}\``;
}

function prose(text: string): string {
  return text.replace(/[<|*]/g, '\\$&');
}

if (import.meta.main) for (const { file, wanted } of pages()) writeFileSync(file, wanted);
