import type { Document } from '../doctype/doctype.ts';
import type { Change } from '../document/change.ts';
import type { Context } from '../document/context.ts';
import type { Controller, HookName } from '../document/controller.ts';
import type { Method } from '../document/method.ts';

/** What a package adds to a site: doctypes as data, code by explicit listing. */
export interface App {
  /** Letters, digits, `-` and `_`; unique on a site. */
  readonly name: string;
  /** A folder of doctype definitions, one JSON file each. */
  readonly doctypes?: URL;
  /** By doctype name, the app's own or any other; `*` applies to every doctype. */
  readonly controllers?: Readonly<Record<string, Controller>>;
  /** By the name under `/api/method/`. */
  readonly methods?: Readonly<Record<string, Method>>;
  /** A JSON file of documents, or a folder of such files: what a site needs to have. See docs/guide/first-app.md. */
  readonly fixtures?: URL;
  /** Changes to the data of sites that have the app already, oldest first. */
  readonly patches?: readonly Patch[];
}

/**
 * A change to the data of a site, run once on each when it starts with a version of the app that has it. A site that
 * starts with the app for the first time has nothing to change: there its patches count as done.
 */
export interface Patch {
  /** Letters, digits, `-`, `_` and `.`; unique in the app, and never changed once released. */
  readonly name: string;
  /**
   * Runs as Administrator in one transaction, after the tables follow the doctypes. When it rejects, nothing of it is
   * kept, the site does not start, and the next start runs it again. It may run again after a database conflict too, so
   * keep effects outside the database in `ctx.afterCommit`.
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

/** A change of documents that have the fields of `T`. */
export interface ChangeOf<T> extends Omit<Change, 'before' | 'doc'> {
  readonly before: (StandardFields & T) | null;
  readonly doc: StandardFields & T;
}

/** A controller whose documents have the fields of `T`. The doctype's definition makes the type true. */
export type ControllerOf<T> = Omit<Controller, HookName> & {
  [hook in HookName]?: (doc: StandardFields & T, ctx: Context, change: ChangeOf<T>) => void | Promise<void>;
};

/** Declares a controller; `defineController<Invoice>({...})` types `doc` by the fields of `Invoice`. */
export function defineController(controller: Controller): Controller;
export function defineController<T>(controller: ControllerOf<T>): Controller;
export function defineController(controller: object): Controller {
  return controller;
}

/** A document that a verb returned, as the type that `chancery types` made of its doctype. */
export function documentAs<T extends StandardFields>(doc: Document): T;
export function documentAs(doc: Document): Document {
  return doc;
}
