import type { LoadMode } from '../../../../src/load/data-load.ts';
import { callMethod } from '../../data/api.ts';
import type { BootUser } from '../../data/boot.ts';
import { readDocument } from '../../data/documents.ts';
import { may } from '../../meta/permissions.ts';
import type { Load } from './load-data.ts';

/** How a file is written. `header_row` is 0 for a file without heads. */
export interface FileForm {
  readonly format: 'csv' | 'xlsx' | 'json' | 'ndjson';
  readonly encoding: string;
  readonly delimiter: string;
  readonly header_row: number;
  readonly dates: string;
  readonly decimal: string;
}
export type FormChoices = Partial<Omit<FileForm, 'format'>>;

/** A column of a file. */
export interface Column {
  readonly key: string;
  readonly head: string;
  /** The field that it fills; null for none. */
  readonly target: string | null;
  /** Why the server suggests this field. */
  readonly by: 'mapping' | 'head' | 'shape' | null;
}

/** A field that a column can fill. */
export interface Target {
  readonly key: string;
  readonly label: string;
  readonly table: string | null;
  readonly fieldtype: string | null;
  readonly reqd: 0 | 1;
  readonly unique: 0 | 1;
}

/** What the server finds in a file. */
export interface Inspection {
  readonly form: FileForm;
  readonly ambiguous: readonly ('dates' | 'decimal')[];
  readonly columns: readonly Column[];
  readonly targets: readonly Target[];
  readonly preview: readonly (readonly unknown[])[];
}

/** Fields by the keys of columns; null leaves a column out. */
export type Mapping = Readonly<Record<string, string | null>>;

/** What the user has chosen for an import. */
export interface Setup {
  readonly file: { readonly url: string; readonly name: string };
  /** Only the columns for which the user has chosen; the server suggests the others. */
  readonly mapping: Mapping;
  readonly choices: FormChoices;
  readonly mode: LoadMode;
  readonly keyField: string | null;
  readonly onError: 'good' | 'none';
  readonly skipHooks: boolean;
  readonly skipWebhooks: boolean;
}

/** The modes that the user's rights allow, the usual one first. */
export function allowedModes(doctype: string): readonly LoadMode[] {
  const [canCreate, canWrite] = [may(doctype, 'create'), may(doctype, 'write')];
  const modes = [canCreate && 'Insert', canWrite && 'Update', canCreate && canWrite && 'Upsert'];
  return modes.filter((mode): mode is LoadMode => mode !== false);
}

export function newSetup(doctype: string, file: Setup['file']): Setup {
  const [mode = 'Insert'] = allowedModes(doctype);
  const none = { mapping: {}, choices: {}, keyField: null, skipHooks: false, skipWebhooks: false };
  return { file, ...none, mode, onError: 'good' };
}

/** The choices of an earlier import, to change them. */
export function setupOf({ file, source, mapping, options, mode, keyField }: Load): Setup {
  const { form = {}, onError, hooks, webhooks } = options as Readonly<Record<string, unknown>>;
  const { encoding, delimiter, headerRow, locale = {} } = form as Readonly<Record<string, unknown>>;
  const { dates, decimal } = locale as Readonly<Record<string, unknown>>;
  const choices = { encoding, delimiter, header_row: headerRow, dates, decimal };
  const known = Object.entries(choices).filter(([, value]) => value !== undefined && value !== null);
  return {
    file: { url: file, name: source },
    mapping: mapping as Mapping,
    choices: Object.fromEntries(known) as FormChoices,
    mode,
    keyField,
    onError: onError === 'none' ? 'none' : 'good',
    skipHooks: hooks === false,
    skipWebhooks: webhooks === false,
  };
}

/** What decides how the server reads the file. */
export function inspectArguments(doctype: string, { file, mapping, choices }: Setup) {
  return { doctype, file_url: file.url, mapping, ...choices };
}

export function inspect(args: ReturnType<typeof inspectArguments>, signal: AbortSignal): Promise<Inspection> {
  // Mappings of many columns are too long for an address.
  return callMethod<Inspection>('chancery.import.inspect', args, { signal });
}

/** Starts a check or an import. Resolves to the name of its Data Load. */
export async function startImport(
  doctype: string,
  setup: Setup,
  { form, columns }: Pick<Inspection, 'form' | 'columns'>,
  user: BootUser,
  isCheck: boolean,
): Promise<string> {
  const { format: _, delimiter, ...choices } = form;
  const { name } = await callMethod<{ name: string }>('chancery.import.start', {
    doctype,
    file_url: setup.file.url,
    // All of them, so that the import is what the user has seen.
    mapping: Object.fromEntries(columns.map(({ key, target }) => [key, target])),
    ...choices,
    ...(form.format === 'csv' && { delimiter }),
    mode: setup.mode,
    ...(setup.mode !== 'Insert' && { key_field: setup.keyField ?? 'name' }),
    on_error: setup.onError,
    ...(user.isSystemManager && {
      skip_hooks: setup.skipHooks ? 1 : 0,
      skip_webhooks: setup.skipWebhooks ? 1 : 0,
    }),
    dry_run: isCheck ? 1 : 0,
  });
  return name;
}

/** The address of an uploaded file. */
export async function addressOfUpload(name: string): Promise<string> {
  return String((await readDocument('File', name)).doc['file_url']);
}
