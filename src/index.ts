/** The public API: all that an app imports. */

export type { CurrentUser } from './access/user.ts';
export { isSystemManager } from './access/user.ts';
export type { Sql } from './db/sql.ts';
export { ident, sql } from './db/sql.ts';
export type { ChildRow, DocField, DocType, Document } from './doctype/doctype.ts';
export { cancelDocument } from './document/cancel.ts';
export type { Change } from './document/change.ts';
export type { Context } from './document/context.ts';
export { asSystem } from './document/context.ts';
export type { Controller, Hook } from './document/controller.ts';
export { createDocument } from './document/create.ts';
export { deleteDocument } from './document/delete.ts';
export { countDocuments, listDocuments } from './document/list.ts';
export type { Method, MethodDefinition, MethodVerb } from './document/method.ts';
export { defineMethod } from './document/method.ts';
export { readDocument } from './document/read.ts';
export { renameDocument } from './document/rename.ts';
export { submitDocument } from './document/submit.ts';
export { updateDocument } from './document/update.ts';
export type { ErrorType } from './kernel/errors.ts';
export { ServiceError } from './kernel/errors.ts';
export type { Fields, FieldValue } from './kernel/value.ts';
export type { App, ChangeOf, ChildFields, ControllerOf, Patch, StandardFields } from './site/app.ts';
export { defineApp, defineController, documentAs } from './site/app.ts';
