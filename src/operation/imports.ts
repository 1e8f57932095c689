import { DELIMITERS } from '../exchange/csv-form.ts';
import { ENCODINGS } from '../exchange/encoding.ts';
import type { FormChoices } from '../exchange/file-form.ts';
import { FORMATS } from '../exchange/line.ts';
import { DATE_ORDERS, DECIMAL_MARKS } from '../exchange/locale.ts';
import { momentText } from '../exchange/moment-text.ts';
import { ServiceError } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { type Fields, isRecord } from '../kernel/value.ts';
import { createLoad, type LoadStatus } from '../load/data-load.ts';
import {
  type ImportRequest,
  importTargets,
  inspectFile,
  planImport,
  requireImport,
} from '../load/save/import-plan.ts';
import { newImport } from '../load/save/run-import.ts';
import { uploadedFile } from '../load/save/uploaded-file.ts';
import { choice, FLAG, json, OPTIONAL_TEXT, TEXT } from './arguments.ts';
import { MODE, MODES, STARTED } from './loads.ts';
import { defineOperation, type Operation } from './operation.ts';
import { object, ROWS } from './result.ts';

const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };

const DETECTED = 'Default: as detected';

const FILE = {
  doctype: { ...TEXT, description: 'The doctype of the documents' },
  file_url: { ...TEXT, description: 'The `file_url` of an uploaded file that the caller may read' },
  mapping: {
    ...json({ type: 'object' }),
    description:
      'Column keys and what they fill: `{"Client": "customer", "#3": "items.qty", "Note": null}`. Other columns: by their heads',
  },
  format: { ...choice(FORMATS), description: DETECTED },
  encoding: { ...choice(ENCODINGS), description: DETECTED },
  delimiter: { ...choice(DELIMITERS), description: `Of CSV. ${DETECTED}` },
  header_row: {
    ...OPTIONAL_TEXT,
    schema: INTEGER,
    description: `The row of the heads; 0: the file has none. ${DETECTED}`,
  },
  dates: { ...choice(DATE_ORDERS), description: `The order of year, month and day. ${DETECTED}` },
  decimal: { ...choice(DECIMAL_MARKS), description: `The decimal mark. ${DETECTED}` },
};

const FLAGS = {
  skip_hooks: { ...FLAG, description: 'Run no hooks of apps; for System Managers' },
  skip_webhooks: { ...FLAG, description: 'Send no webhooks and notifications; for System Managers' },
};

/** Imports of uploaded files: each is a load, see `loadOperations`. */
export const importOperations: readonly Operation[] = [
  defineOperation({
    name: 'chancery.import.inspect',
    summary: 'Detect the form of an uploaded file, and suggest what its columns fill',
    effect: 'read',
    args: FILE,
    result: object({
      form: { type: 'object' },
      ambiguous: { type: 'array', items: STRING },
      columns: ROWS,
      targets: ROWS,
      preview: { type: 'array', items: { type: 'array' } },
    }),
    run: async (ctx, args, call) => {
      const doctype = ctx.doctypes.get(args.doctype);
      requireImport(ctx.user, doctype, { hooks: true, webhooks: true });
      const file = await uploadedFile(ctx, call.site.storage, args.file_url);
      const targets = importTargets(ctx.user, ctx.doctypes, doctype);
      const { form, ambiguous, columns, samples } = await inspectFile(file, targets, askedForm(args));
      const rows = Math.max(0, ...samples.map((cells) => cells.length));
      return {
        form: formOf(form),
        ambiguous,
        columns: columns.map(({ key, head, target, by }) => ({ key, head, target: target?.key ?? null, by })),
        targets: targets.all.map(({ key, label, table, field }) => ({
          key,
          label,
          table,
          fieldtype: field?.fieldtype ?? null,
          reqd: field?.reqd ? 1 : 0,
          unique: field?.unique ? 1 : 0,
        })),
        preview: Array.from({ length: Math.min(rows, LIMITS.importPreviewRows) }, (_, row) =>
          samples.map((cells) => previewOf(cells[row])),
        ),
      };
    },
  }),

  defineOperation({
    name: 'chancery.import.start',
    summary: 'Import an uploaded file, or check it without storing anything',
    effect: 'write',
    wholeUser: true,
    transaction: 'own',
    args: {
      ...FILE,
      ...FLAGS,
      mode: { ...choice(MODES, 'Insert'), description: MODE },
      key_field: { ...OPTIONAL_TEXT, description: 'With Update and Upsert: `name`, or a unique field' },
      on_error: {
        ...choice(['good', 'none'], 'good'),
        description: '`good` stores the records without a problem, `none` all records or none',
      },
      dry_run: { ...FLAG, description: 'Only check: each record is saved and undone' },
    },
    result: STARTED,
    run: async (ctx, args, call) => {
      const doctype = ctx.doctypes.get(args.doctype);
      const request: ImportRequest = {
        ...askedForm(args),
        mode: args.mode,
        keyField: args.key_field,
        onError: args.on_error,
        hooks: !args.skip_hooks,
        webhooks: !args.skip_webhooks,
      };
      requireImport(ctx.user, doctype, request);
      const file = await uploadedFile(ctx, call.site.storage, args.file_url);
      const targets = importTargets(ctx.user, ctx.doctypes, doctype);
      const plan = planImport(doctype, await inspectFile(file, targets, request), request);
      const status: LoadStatus = args.dry_run ? 'Checking' : 'Running';
      const load = { ...newImport(file, doctype.name, plan, request), file: args.file_url, status };
      const text = await call.once(
        async (unit) => ({ name: await createLoad(unit, load), status }),
        (made) => JSON.stringify(made),
      );
      call.site.jobs.ask('run_loads');
      return JSON.parse(text) as unknown;
    },
  }),
];

type FormArguments = Readonly<Record<string, unknown>>;

/** The choices in the arguments of a call. @throws ServiceError ValidationError */
function askedForm(args: FormArguments): { readonly mapping: Fields; readonly choices: FormChoices } {
  const { mapping = {}, header_row: row } = args;
  if (!isRecord(mapping)) throw new ServiceError('ValidationError', 'Argument mapping must be an object');
  if (row !== undefined && !/^\d{1,6}$/.test(String(row))) {
    throw new ServiceError('ValidationError', 'Argument header_row must be the number of a row');
  }
  const { format, encoding, delimiter, dates, decimal } = args as FormChoices;
  const headerRow = row === undefined ? undefined : Number(row);
  return { mapping, choices: { format, encoding, delimiter, headerRow, dates, decimal } };
}

function formOf({
  format,
  encoding,
  delimiter,
  headerRow,
  locale,
}: Awaited<ReturnType<typeof inspectFile>>['form']) {
  return { format, encoding, delimiter, header_row: headerRow, ...locale };
}

function previewOf(cell: unknown): unknown {
  if (cell instanceof Date) return momentText(cell);
  if (typeof cell !== 'string' || cell.length <= LIMITS.importPreviewText) return cell ?? null;
  return `${cell.slice(0, LIMITS.importPreviewText)}…`;
}
