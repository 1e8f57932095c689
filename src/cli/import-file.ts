import { COMMAND_LINE } from '../access/audit.ts';
import { readContext } from '../document/context.ts';
import { unitOfWork } from '../document/write/unit-of-work.ts';
import { DELIMITERS } from '../exchange/csv-form.ts';
import { ENCODINGS } from '../exchange/encoding.ts';
import type { FormChoices } from '../exchange/file-form.ts';
import { FORMATS } from '../exchange/line.ts';
import type { Fields } from '../kernel/value.ts';
import { createLoad, type LoadMode, readLoad, total, unfinishedLoad, writeLoad } from '../load/data-load.ts';
import type { SourceFile } from '../load/record.ts';
import {
  type ImportPlan,
  type ImportRequest,
  importTargets,
  inspectFile,
  planImport,
  requireImport,
} from '../load/save/import-plan.ts';
import { newImport, runImport } from '../load/save/run-import.ts';
import type { OpenSite } from '../site/start/open-site.ts';
import { type Invocation, requireWord, UsageError } from './command.ts';
import { onInterrupt } from './on-interrupt.ts';
import { reportLoad } from './report-load.ts';
import { showProgress } from './show-progress.ts';
import { sourceFile } from './source-file.ts';
import { userNamed } from './user-named.ts';
import { withOpenSite } from './with-site.ts';

/** The flags of an ordinary import. */
export const FILE_FLAGS =
  '[--doctype <doctype>] [--user <email>] [--key <field>] [--map <column=field;…>] [--format <format>] ' +
  '[--encoding <encoding>] [--delimiter <character>] [--header-row <number>] [--locale <dmy,>] [--dry-run] ' +
  '[--all-or-none] [--no-hooks] [--no-webhooks]';

/** `chancery import FILE --doctype X`: resolves to 1 when records failed, or it was interrupted. */
export async function importFile(invocation: Invocation, mode: LoadMode): Promise<number> {
  const { config, words, flags, print } = invocation;
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const found = await sourceFile(requireWord(words, 0, 'The file'));
  const file = { ...found, fingerprint: `${found.fingerprint} ${found.size}` };
  const request: ImportRequest = {
    mode,
    keyField: text('key'),
    mapping: mappingOf(text('map')),
    choices: choicesOf(text),
    onError: flags['all-or-none'] === true ? 'none' : 'good',
    hooks: flags['no-hooks'] !== true,
    webhooks: flags['no-webhooks'] !== true,
  };
  return withOpenSite(config, async (site) => {
    const user = await userNamed(site, text('user'));
    const doctype = site.doctypes.get(String(flags['doctype']));
    requireImport(user, doctype, request);
    const targets = importTargets(user, readContext(site, user).doctypes, doctype);
    const head = await inspectFile(file, targets, request);
    const plan = planImport(doctype, head, request);
    for (const { head: column, target, by } of head.columns) {
      if (by === 'shape')
        print(`${column}: left out. Does it fill ${target?.key}? Then --map ${column}=${target?.key}`);
      else print(`${column}: ${target ? target.key : 'left out'}`);
    }
    for (const part of head.ambiguous) {
      const what = part === 'dates' ? 'order of dates' : 'decimal mark';
      print(`The ${what} is a guess: ${plan.form.locale[part]}. --locale decides.`);
    }
    const name = await openLoad(site, user, file, plan, request, doctype.name, flags['dry-run'] === true);
    return run(site, name, file, user, print);
  });
}

async function openLoad(
  site: OpenSite,
  user: Parameters<typeof unfinishedLoad>[1],
  file: SourceFile,
  plan: ImportPlan,
  request: ImportRequest,
  doctype: string,
  isCheck: boolean,
): Promise<string> {
  const load = newImport(file, doctype, plan, request);
  return unitOfWork(
    site,
    user,
    async (ctx) => {
      const known = await unfinishedLoad(ctx.db, user, load);
      // Only the same import goes on: with other choices it would store other values.
      const before = known === null || isCheck ? null : await readLoad(ctx.db, known);
      if (
        known !== null &&
        before !== null &&
        before.mode === load.mode &&
        before.keyField === load.keyField &&
        JSON.stringify(before.options) === JSON.stringify(load.options)
      ) {
        await writeLoad(site, ctx.db, known, { status: 'Running', error: null });
        return known;
      }
      return createLoad(ctx, { ...load, status: isCheck ? 'Checking' : 'Running' });
    },
    COMMAND_LINE,
  );
}

async function run(
  site: OpenSite,
  name: string,
  file: SourceFile,
  user: Parameters<typeof unfinishedLoad>[1],
  print: Invocation['print'],
): Promise<number> {
  const progress = showProgress();
  const interrupt = onInterrupt();
  try {
    const load = await readLoad(site.database.reader, name);
    const ended = await runImport({
      ...{ site, load, file, user, origin: COMMAND_LINE, signal: interrupt.signal },
      onProgress: (counts, part) =>
        progress.show(`${total(counts).toLocaleString('en')} records (${((part ?? 0) * 100).toFixed(1)} %)`),
    });
    progress.end();
    return await reportLoad(site, ended, print);
  } finally {
    progress.end();
    interrupt.end();
  }
}

/** `Client=customer;Note=`: columns and what they fill. @throws UsageError */
function mappingOf(flag: string | undefined): Fields {
  const pairs = (flag ?? '').split(';').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at < 1) throw new UsageError(`--map is like Client=customer;Note=, not ${pair}`);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}

function choicesOf(text: (name: string) => string | undefined): FormChoices {
  const one = <T extends string>(name: string, values: readonly T[]): T | undefined => {
    const value = text(name);
    const found = values.find((known) => known === value);
    if (value === undefined || found !== undefined) return found;
    throw new UsageError(
      `--${name} must be one of ${values.map((known) => JSON.stringify(known)).join(', ')}`,
    );
  };
  const row = text('header-row');
  if (row !== undefined && !/^\d{1,6}$/.test(row))
    throw new UsageError('--header-row must be the number of a row');
  const [, dates, decimal] = /^(ymd|dmy|mdy)?([.,])?$/.exec(text('locale') ?? '') ?? [null];
  if (dates === undefined && decimal === undefined && text('locale') !== undefined) {
    throw new UsageError('--locale is ymd, dmy or mdy, and the decimal mark: dmy, or mdy.');
  }
  return {
    format: one('format', FORMATS),
    encoding: one('encoding', ENCODINGS),
    delimiter: one('delimiter', DELIMITERS),
    headerRow: row === undefined ? undefined : Number(row),
    dates: dates as FormChoices['dates'],
    decimal: decimal as FormChoices['decimal'],
  };
}
