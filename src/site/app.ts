import type { Change } from '../document/change.ts';
import type { Context } from '../document/context.ts';
import type { Controller } from '../document/controller.ts';
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

/** A controller whose documents have the fields of `T`. The doctype's definition makes the type true. */
export type ControllerOf<T> = {
  [hook in keyof Controller]?: (
    doc: StandardFields & T,
    ctx: Context,
    change: Change,
  ) => void | Promise<void>;
};

/** Declares a controller; `defineController<Invoice>({...})` types `doc` by the fields of `Invoice`. */
export function defineController(controller: Controller): Controller;
export function defineController<T>(controller: ControllerOf<T>): Controller;
export function defineController(controller: object): Controller {
  return controller;
}
