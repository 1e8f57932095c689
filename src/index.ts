/** The public API: all that an app imports. */

export type { CurrentUser } from './access/user.ts';
export { isSystemManager } from './access/user.ts';
export type { Sql } from './db/sql.ts';
export { ident, sql } from './db/sql.ts';
export type { Argument, Arguments } from './doctype/arguments.ts';
export type { ChildRow, DocField, DocType, Document } from './doctype/doctype.ts';
export type { Change } from './document/change.ts';
export { asSystem } from './document/context.ts';
export type {
  Context,
  Controller,
  DocumentMethod,
  Hook,
  Method,
  MethodVerb,
  VirtualPage,
  VirtualSource,
} from './document/contract.ts';
export { countDocuments, listDocuments } from './document/list/list.ts';
export { amendDocument } from './document/verbs/amend.ts';
export { cancelDocument } from './document/verbs/cancel.ts';
export { copyDocument } from './document/verbs/copy.ts';
export { createDocument } from './document/verbs/create.ts';
export { deleteDocument } from './document/verbs/delete.ts';
export type { LinkedDocument, LinkedDocuments } from './document/verbs/linked-documents.ts';
export { linkedDocuments } from './document/verbs/linked-documents.ts';
export type { DocumentMethodDefinition, MethodDefinition } from './document/verbs/method.ts';
export { defineDocumentMethod, defineMethod } from './document/verbs/method.ts';
export { readDocument } from './document/verbs/read.ts';
export type { RenameOptions } from './document/verbs/rename.ts';
export { renameDocument } from './document/verbs/rename.ts';
export { submitDocument } from './document/verbs/submit.ts';
export { updateDocument } from './document/verbs/update.ts';
export type { UploadedFile } from './file/upload-file.ts';
export type { ErrorType } from './kernel/errors.ts';
export { ServiceError } from './kernel/errors.ts';
export type { Fields, FieldValue } from './kernel/value.ts';
export { applyListQuery } from './query/apply-list-query.ts';
export type { ListQuery } from './query/list-query.ts';
export type { App, ChangeOf, ChildFields, ControllerOf, Patch, StandardFields } from './site/app.ts';
export { defineApp, defineController, documentAs } from './site/app.ts';
