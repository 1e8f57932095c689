import { mayChange } from '../../access/field-level.ts';
import { isDoctypeInScope } from '../../access/key-scope.ts';
import { requirePermission } from '../../access/permission.ts';
import { type CurrentUser, isSystemManager } from '../../access/user.ts';
import type { DocType, DoctypeRegistry } from '../../doctype/doctype.ts';
import { type FileForm, type FileHead, type FormChoices, readHead } from '../../exchange/file-form.ts';
import { type MatchedColumn, Matcher } from '../../exchange/match-columns.ts';
import { type Targets, targetsOf } from '../../exchange/targets.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { type Fields, recordsIn } from '../../kernel/value.ts';
import type { LoadMode } from '../data-load.ts';
import type { SourceFile } from '../record.ts';

/** What a person asks for, besides the file. */
export interface ImportRequest {
  readonly mode: LoadMode;
  /** Default: `name`. */
  readonly keyField?: string | undefined;
  /** Column keys to target keys; columns that it leaves out are matched by their heads. */
  readonly mapping: Fields;
  readonly choices: FormChoices;
  /** `good`: the records without a problem are stored. `none`: nothing is, unless all are good. */
  readonly onError: 'good' | 'none';
  readonly hooks: boolean;
  readonly webhooks: boolean;
}

/** Everything that decides what an import stores, as `Data Load` keeps it in `options`. */
export interface ImportPlan extends Pick<ImportRequest, 'onError' | 'hooks' | 'webhooks'> {
  readonly form: FileForm;
  readonly columns: readonly {
    readonly key: string;
    readonly head: string;
    readonly target: string | null;
  }[];
}

/** What the user may fill by an import. */
export function importTargets(user: CurrentUser, doctypes: DoctypeRegistry, doctype: DocType): Targets {
  return targetsOf(
    doctype,
    (name) => doctypes.get(name),
    (holder, { fieldname }, parent) => {
      if (parent === null) return mayChange(user, holder, fieldname);
      const tables = parent.tables.filter(({ options }) => options === holder.name);
      return tables.some(({ fieldname: table }) => mayChange(user, holder, fieldname, { parent, table }));
    },
  );
}

/**
 * Detects the form of a file and suggests what its columns fill.
 * @throws ServiceError ValidationError for a file that cannot be read, or a mapping of unknown columns or fields
 */
export async function inspectFile(
  file: SourceFile,
  targets: Targets,
  { mapping, choices }: Pick<ImportRequest, 'mapping' | 'choices'>,
): Promise<FileHead> {
  const head = await readHead(file.open, file.name, targets, new Matcher(targets, mapping), choices);
  requireColumns(head, mapping);
  return head;
}

/** Later objects of JSON may have further keys; the columns of other files are known from the start. */
function requireColumns({ form: { format }, columns }: FileHead, mapping: Fields): void {
  if (format !== 'csv' && format !== 'xlsx') return;
  const keys = columns.map(({ key }) => key);
  const stray = Object.entries(mapping).find(([key, to]) => !keys.includes(key) && (to ?? '') !== '');
  if (!stray) return;
  const known = keys.slice(0, SHOWN).join(', ');
  throw new ServiceError(
    'ValidationError',
    `The file has no column ${stray[0]}. Its columns: ${known}${keys.length > SHOWN ? ', …' : ''}`,
  );
}

/** Columns that a message names. */
const SHOWN = 20;

/**
 * The plan of an import. Only columns with the head of a field, or of the mapping, fill one: no guess by values stores
 * anything.
 * @throws ServiceError ValidationError
 */
export function planImport(doctype: DocType, head: FileHead, request: ImportRequest): ImportPlan {
  const columns = head.columns.map(({ key, head, target, by }) => ({
    key,
    head,
    target: by === 'shape' ? null : (target?.key ?? null),
  }));
  if (columns.every(({ target }) => target === null)) {
    throw new ServiceError(
      'ValidationError',
      `No column of the file has the name or label of a field of ${doctype.name}`,
    );
  }
  checkKeyField(doctype, request, columns);
  const { onError, hooks, webhooks } = request;
  return { form: head.form, columns, onError, hooks, webhooks };
}

function checkKeyField(
  doctype: DocType,
  { mode, keyField = 'name' }: ImportRequest,
  columns: ImportPlan['columns'],
): void {
  if (mode === 'Insert' || doctype.issingle) return;
  const field = doctype.fieldByName.get(keyField);
  if (keyField !== 'name' && !field?.unique) {
    throw new ServiceError(
      'ValidationError',
      `${keyField} is not unique, so it cannot find the document to update`,
    );
  }
  if (columns.some(({ target }) => target === keyField)) return;
  throw new ServiceError(
    'ValidationError',
    `No column fills ${keyField}, which finds the documents to update`,
  );
}

/** The columns of a stored plan. */
export function plannedColumns({ columns }: ImportPlan, targets: Targets): readonly MatchedColumn[] {
  return columns.map(({ key, head, target }) => ({
    key,
    head,
    target: target === null ? null : (targets.byKey.get(target) ?? null),
    by: 'mapping',
  }));
}

/** A plan from the stored options of a load. */
export function storedPlan(options: Fields): ImportPlan {
  return {
    ...(options as unknown as ImportPlan),
    columns: recordsIn(options['columns']) as unknown as ImportPlan['columns'],
  };
}

/**
 * Requires the rights of an ordinary import. Without hooks or webhooks it needs a System Manager.
 * @throws ServiceError PermissionError, ValidationError
 */
export function requireImport(
  user: CurrentUser,
  doctype: DocType,
  { hooks, webhooks }: Pick<ImportRequest, 'hooks' | 'webhooks'>,
): void {
  if (doctype.istable) {
    throw new ServiceError(
      'ValidationError',
      `${doctype.name} is a child table: import the documents that have it`,
    );
  }
  requirePermission(user, doctype, 'import');
  if (hooks && webhooks) return;
  if (isSystemManager(user) && isDoctypeInScope(user, 'Webhook')) return;
  throw new ServiceError('PermissionError', 'Only a System Manager may import without hooks or webhooks', {
    title: 'Not permitted',
  });
}
