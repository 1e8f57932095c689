/** The public API: all that an app imports. */

export type { CurrentUser } from './access/user.ts';
export { isSystemManager } from './access/user.ts';
export type { Sql } from './db/sql.ts';
export { ident, sql } from './db/sql.ts';
export type { Argument, Arguments } from './doctype/arguments.ts';
export type { ChildRow, DocField, DocType, Document } from './doctype/doctype.ts';
export { amendDocument } from './document/amend.ts';
export { cancelDocument } from './document/cancel.ts';
export type { Change } from './document/change.ts';
export type { Context } from './document/context.ts';
export { asSystem } from './document/context.ts';
export type { Controller, Hook } from './document/controller.ts';
export { copyDocument } from './document/copy.ts';
export { createDocument } from './document/create.ts';
export { deleteDocument } from './document/delete.ts';
export type { LinkedDocument, LinkedDocuments } from './document/linked-documents.ts';
export { linkedDocuments } from './document/linked-documents.ts';
export { countDocuments, listDocuments } from './document/list.ts';
export type {
  DocumentMethod,
  DocumentMethodDefinition,
  Method,
  MethodDefinition,
  MethodVerb,
} from './document/method.ts';
export { defineDocumentMethod, defineMethod } from './document/method.ts';
export { readDocument } from './document/read.ts';
export type { RenameOptions } from './document/rename.ts';
export { renameDocument } from './document/rename.ts';
export { submitDocument } from './document/submit.ts';
export { updateDocument } from './document/update.ts';
export type { VirtualPage, VirtualSource } from './document/virtual-source.ts';
export type { UploadedFile } from './file/upload-file.ts';
export type { ErrorType } from './kernel/errors.ts';
export { ServiceError } from './kernel/errors.ts';
export type { Fields, FieldValue } from './kernel/value.ts';
export { applyListQuery } from './query/apply-list-query.ts';
export type { ListQuery } from './query/list-query.ts';
export type { App, ChangeOf, ChildFields, ControllerOf, Patch, StandardFields } from './site/app.ts';
export { defineApp, defineController, documentAs } from './site/app.ts';
