import { callMethod, readMethod } from '../../data/api.ts';
import type { Raw } from './draft.ts';

/** A doctype as `chancery.read_design` returns it. */
export interface Design {
  readonly name: string;
  /** '' for a doctype made at run time, `standard` for one of the server. */
  readonly app: string;
  readonly fixed: string;
  readonly definition: Raw;
  readonly customized: readonly Customized[];
  readonly has_custom_permissions: boolean;
  readonly locked: { readonly doctype: Reasons; readonly field: Reasons };
  readonly revision: string;
}

/** By property: why it cannot be changed. */
export type Reasons = Readonly<Record<string, string>>;

/** A property that a Property Setter sets. */
export interface Customized {
  readonly fieldname: string | null;
  readonly property: string;
  readonly original: unknown;
}

/** What is sent to plan or save a doctype. */
export interface Wanted {
  readonly doctype: string;
  readonly definition: Raw;
  readonly children: readonly Raw[];
  readonly revision: string;
  readonly lose?: readonly string[];
}

export interface Step {
  readonly action: 'create' | 'update' | 'delete';
  readonly doctype: 'DocType' | 'Custom Field' | 'Property Setter' | 'Custom DocPerm';
  readonly name: string | null;
  readonly fields: Raw;
}

export interface TablePlan {
  readonly doctype: string;
  readonly rows: number;
  readonly changes: readonly TableChange[];
  readonly losses: readonly Loss[];
  readonly incomplete: readonly { readonly fieldname: string; readonly documents: number }[];
  readonly seconds: number;
}

export interface TableChange {
  readonly change: string;
  readonly column?: { readonly name: string } | string;
  readonly from?: { readonly name: string; readonly kind: string };
  readonly to?: { readonly name: string; readonly kind: string };
  readonly index?: { readonly columns: readonly string[]; readonly unique: boolean } | string;
}

export interface Loss {
  readonly fieldname: string;
  readonly loss: 'removed' | 'converted';
  readonly values: number;
  readonly examples: readonly string[];
  readonly required: boolean;
}

export interface Plan {
  readonly documents: readonly Step[];
  readonly tables: readonly TablePlan[];
}

/** Reads a doctype for its designer. */
export function readDesign(doctype: string, signal?: AbortSignal): Promise<Design> {
  return readMethod<Design>('chancery.read_design', { doctype }, signal ? { signal } : {});
}

/** Asks what saving would do. Nothing changes. */
export function planDesign(wanted: Wanted): Promise<Plan> {
  return callMethod<Plan>('chancery.plan_design', { ...wanted });
}

/** Saves a doctype. The values of the fields in `lose` may be lost. */
export function saveDesign(wanted: Wanted): Promise<unknown> {
  return callMethod('chancery.save_design', { ...wanted });
}
