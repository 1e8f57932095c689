import type { Controller, Method } from '../../document/contract.ts';
import { assignMethods } from './assign-methods.ts';
import { commentController } from './comment.ts';
import { likeMethods } from './like-method.ts';
import { restoreMethod } from './restore.ts';
import { restoreVersionMethod } from './restore-version.ts';
import { tagMethods } from './tag-methods.ts';
import { versionController } from './version-controller.ts';

/** Only deletions make Deleted Documents. Deleting one erases its content for good. */
const deletedDocument: Controller = {
  hasPermission: (_ctx, _doc, right) => right !== 'create' && right !== 'write',
};

/** Controllers of the doctypes that store the history of documents. */
export const historyControllers: Readonly<Record<string, Controller>> = {
  Comment: commentController,
  'Deleted Document': deletedDocument,
  Version: versionController,
};

/** Methods that restore, tag, like and assign documents. */
export const historyMethods: Readonly<Record<string, Method>> = {
  'chancery.restore_document': restoreMethod,
  'chancery.restore_version': restoreVersionMethod,
  'frappe.core.doctype.deleted_document.deleted_document.restore': restoreMethod,
  ...tagMethods,
  ...likeMethods,
  ...assignMethods,
};
