import type { BootUser, RightName } from '../data/boot.ts';
import { knownBoot } from '../data/boot.ts';
import type { Field, Meta } from './meta.ts';

/**
 * Actions on a document. The server enforces permissions; the UI only hides actions that the server would
 * refuse.
 */
export interface DocActions {
  readonly canWrite: boolean;
  readonly canSubmit: boolean;
  readonly canCancel: boolean;
  readonly canAmend: boolean;
  readonly canDelete: boolean;
  readonly canRename: boolean;
  readonly canDuplicate: boolean;
  readonly canShare: boolean;
  readonly canPrint: boolean;
}

/** True if the user has a right on the doctype, regardless of single documents. */
export function may(doctype: string, right: RightName): boolean {
  return knownBoot()?.doctypes.get(doctype)?.rights.has(right) ?? false;
}

/**
 * The actions that state and rights allow. `rights` are the server's rights on this document, or those on the
 * doctype for a new one.
 */
export function docActions(
  meta: Meta,
  rights: ReadonlySet<RightName>,
  { docstatus, isNew }: { readonly docstatus: number; readonly isNew: boolean },
): DocActions {
  const isDraft = docstatus === 0;
  const isStored = !isNew && !meta.issingle;
  const canChange = meta.is_virtual ? rights.has('write') : rights.has(isNew ? 'create' : 'write');
  return {
    canWrite: canChange && docstatus !== 2,
    canSubmit: meta.is_submittable && isDraft && !isNew && rights.has('submit'),
    canCancel: meta.is_submittable && docstatus === 1 && rights.has('cancel'),
    canAmend: meta.is_submittable && docstatus === 2 && rights.has('amend'),
    canDelete: isStored && docstatus !== 1 && rights.has('delete'),
    canRename: isStored && meta.allow_rename && rights.has('write'),
    canDuplicate: isStored && rights.has('create'),
    canShare: isStored && rights.has('share'),
    canPrint: !isNew && rights.has('print'),
  };
}

/**
 * True if permission levels and document state allow a change of the field. `depends-on` checks its own
 * conditions.
 */
export function canChangeField(
  meta: Meta,
  field: Field,
  user: BootUser,
  state: { readonly docstatus: number; readonly isNew: boolean; readonly isSet: boolean },
): boolean {
  if (state.docstatus === 2 || field.is_virtual) return false;
  if (state.docstatus === 1 && !field.allow_on_submit) return false;
  if (field.set_only_once && !state.isNew && state.isSet) return false;
  return isLevelOpen(meta, field.permlevel, 'write', user);
}

/** True if the user may access fields of a permlevel. */
export function isLevelOpen(meta: Meta, level: number, right: 'read' | 'write', user: BootUser): boolean {
  if (level === 0 || user.name === 'Administrator') return true;
  return meta.permissions.some(
    (row) => row.permlevel === level && !row.if_owner && row.rights.has(right) && user.roles.has(row.role),
  );
}

/** The fields whose values the user may read. */
export function readableFields(meta: Meta, user: BootUser): readonly Field[] {
  return meta.fields.filter((field) => isLevelOpen(meta, field.permlevel, 'read', user));
}
