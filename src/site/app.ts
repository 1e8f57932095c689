import type { Document } from '../doctype/doctype.ts';
import type { Change } from '../document/change.ts';
import type { Context, Controller, Method } from '../document/contract.ts';
import type { HookName } from '../document/controller.ts';

/** A package's additions to a site: doctypes as data, and code in explicit lists. */
export interface App {
  /** Letters, digits, `-` and `_`; unique on a site. */
  readonly name: string;
  /** A folder of doctype definitions, one JSON file each. */
  readonly doctypes?: URL;
  /** By doctype name, of the app or any other; `*` applies to every doctype. */
  readonly controllers?: Readonly<Record<string, Controller>>;
  /** By the name under `/api/method/`. */
  readonly methods?: Readonly<Record<string, Method>>;
  /**
   * A JSON file of documents that every site needs, or a folder of such files. See docs/guide/first-app.md.
   */
  readonly fixtures?: URL;
  /** Changes to the data of sites that already have the app, oldest first. */
  readonly patches?: readonly Patch[];
}

/**
 * A change to the data of a site. It runs once per site, at the first start with a version of the app that
 * has it. A site that starts with the app for the first time has no data to change, so its patches count as
 * done.
 */
export interface Patch {
  /** Letters, digits, `-`, `_` and `.`; unique in the app, and never changed once released. */
  readonly name: string;
  /**
   * Runs as Administrator in one transaction, after the tables follow the doctypes. When it rejects, it is
   * rolled back, the site does not start, and the next start runs it again. It may also run again after a
   * database conflict, so keep effects outside the database in `ctx.afterCommit`.
   */
  run(ctx: Context): void | Promise<void>;
}

/** Declares an app; the default export of its module. */
export function defineApp(app: App): App {
  return app;
}

/** The columns that every document has, for typed controllers. */
export interface StandardFields {
  doctype: string;
  name: string;
  owner: string;
  creation: string;
  modified: string;
  modified_by: string;
  docstatus: number;
  idx: number;
}

/** The columns that every child row has, for the types of child tables. */
export interface ChildFields extends StandardFields {
  parent: string;
  parentfield: string;
  parenttype: string;
}

/** A change of documents with the fields of `T`. */
export interface ChangeOf<T> extends Omit<Change, 'before' | 'doc'> {
  readonly before: (StandardFields & T) | null;
  readonly doc: StandardFields & T;
}

/** A controller of documents with the fields of `T`. The doctype's definition makes the type true. */
export type ControllerOf<T> = Omit<Controller, HookName> & {
  [hook in HookName]?: (doc: StandardFields & T, ctx: Context, change: ChangeOf<T>) => void | Promise<void>;
};

/** Declares a controller; `defineController<Invoice>({...})` types `doc` by the fields of `Invoice`. */
export function defineController(controller: Controller): Controller;
export function defineController<T>(controller: ControllerOf<T>): Controller;
export function defineController(controller: object): Controller {
  return controller;
}

/** Types a document from a verb as the type that `chancery types` made of its doctype. */
export function documentAs<T extends StandardFields>(doc: Document): T;
export function documentAs(doc: Document): Document {
  return doc;
}
