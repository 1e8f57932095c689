import type { ColumnKind } from '../db/dialect.ts';
import type { FieldValue } from '../kernel/value.ts';
import type { Note } from './note.ts';

/**
 * What becomes of a link when its target is deleted: it blocks the deletion, it is emptied, or its document
 * or row is deleted too.
 */
export type OnDelete = 'block' | 'empty' | 'cascade';

/** A field of a doctype, as on the wire, except that flags are booleans here and 0/1 there. */
export interface DocField {
  readonly fieldname: string;
  /** The row of the definition, from 1; the fields that the parser adds follow the last row. */
  readonly idx: number;
  readonly label: string;
  /** One of the 43 fieldtypes; a key of `FIELDTYPES`. */
  readonly fieldtype: string;
  /** Select: lines; Link and Table: a doctype; Dynamic Link: a fieldname; Data: a format. '' when absent. */
  readonly options: string;
  readonly default: string | null;
  readonly reqd: boolean;
  readonly unique: boolean;
  /** Forms show the field without editing it; see `enforce_on_server`. */
  readonly read_only: boolean;
  /**
   * The server enforces `read_only` and `mandatory_depends_on` too, which are otherwise rules of forms, as in
   * Frappe.
   */
  readonly enforce_on_server: boolean;
  readonly hidden: boolean;
  readonly set_only_once: boolean;
  readonly allow_on_submit: boolean;
  readonly no_copy: boolean;
  readonly non_negative: boolean;
  readonly search_index: boolean;
  readonly in_list_view: boolean;
  /** `frappe.utils.global_search.search` finds documents by it. */
  readonly in_global_search: boolean;
  /** Left out of the printed document. */
  readonly print_hide: boolean;
  readonly is_virtual: boolean;
  readonly ignore_xss_filter: boolean;
  /** User Permissions do not apply to this Link. */
  readonly ignore_user_permissions: boolean;
  /** What the deletion of the linked document does; `block` for fields other than Link and Dynamic Link. */
  readonly on_delete: OnDelete;
  readonly fetch_if_empty: boolean;
  /** `link_field.source_field`: the value is copied from the linked document. */
  readonly fetch_from: string;
  /** The condition for showing the field: for forms; here it is only checked, for a note. */
  readonly depends_on: string;
  /**
   * The condition under which the field is mandatory: an expression over the document or row. Evaluated at
   * every save with `enforce_on_server`, else by forms.
   */
  readonly mandatory_depends_on: string;
  /** The condition under which a form makes the field read-only: for forms, too. */
  readonly read_only_depends_on: string;
  /**
   * The greatest number of characters of a text; 0 means the fieldtype's own limit. Other fieldtypes ignore
   * it.
   */
  readonly length: number;
  /** Decimal places of Float, Currency, Percent; 0 means the fieldtype's own. */
  readonly precision: number;
  readonly permlevel: number;
  readonly description: string;
}

export const RIGHTS = [
  'select',
  'read',
  'write',
  'create',
  'delete',
  'submit',
  'cancel',
  'amend',
  'report',
  'export',
  'import',
  'share',
  'print',
  'email',
] as const;
/** The rights that a DocPerm row can grant. */
export type Right = (typeof RIGHTS)[number];

export interface DocPerm {
  readonly role: string;
  readonly permlevel: number;
  readonly if_owner: boolean;
  readonly rights: ReadonlySet<Right>;
}

/** The stored form of an unset value. A column with another form than null never holds null. */
export type Unset = null | 0 | '';

/** A stored column of a doctype's table, standard or from a field. */
export interface DocColumn {
  readonly fieldname: string;
  readonly kind: ColumnKind;
  readonly empty: Unset;
  /** Null for a standard column. */
  readonly field: DocField | null;
}

/** The metadata of one record type, frozen. A doctype's *name* is a string called `doctypeName`. */
export interface DocType {
  readonly name: string;
  readonly module: string;
  /** The app whose file defines it; '' for a doctype made at run time. */
  readonly app: string;
  readonly custom: boolean;
  readonly istable: boolean;
  readonly issingle: boolean;
  readonly is_submittable: boolean;
  /** It has no table of its own: see `rowsFrom`. */
  readonly is_virtual: boolean;
  /** Documents are nodes of a tree; `nsm_parent_field` names the parent. */
  readonly is_tree: boolean;
  /** The Link field that names the parent; '' unless it is a tree. */
  readonly nsm_parent_field: string;
  readonly autoname: string;
  readonly title_field: string;
  readonly search_fields: string;
  readonly sort_field: string;
  readonly sort_order: 'asc' | 'desc';
  /** Indexes on several fields in order, beside the automatic ones. */
  readonly indexes: readonly (readonly string[])[];
  readonly track_changes: boolean;
  readonly allow_rename: boolean;
  readonly max_attachments: number;
  /** For user interfaces; '' when absent. */
  readonly icon: string;
  /** The Print Format that documents are printed with; '' for the layout of the form. */
  readonly default_print_format: string;
  readonly fields: readonly DocField[];
  readonly permissions: readonly DocPerm[];

  /** What is odd about the definition; the properties here are already without it. */
  readonly notes: readonly Note[];

  // Derived once, by `deriveFields`.
  readonly fieldByName: ReadonlyMap<string, DocField>;
  /** Stored columns in wire order: standard ones first, then fields in order. */
  readonly columns: readonly DocColumn[];
  /**
   * The stored columns by name, with the side columns (`_user_tags`, …), which only queries that name them
   * use.
   */
  readonly columnByName: ReadonlyMap<string, DocColumn>;
  /** Table and Table MultiSelect fields, in order; `options` names the child doctype. */
  readonly tables: readonly DocField[];
  /** Link fields, in order; `options` names the target doctype. */
  readonly links: readonly DocField[];
  readonly dynamicLinks: readonly DocField[];
  /**
   * The source of the rows: the doctype's own table; a read-only view of the system tables; or, for a virtual
   * doctype of an app, that app's controller.
   */
  readonly rowsFrom: 'table' | 'view' | 'controller';
}

/** A child row: plain data, like its document. */
export interface ChildRow {
  doctype: string;
  name: string;
  owner: string;
  creation: string;
  modified: string;
  modified_by: string;
  docstatus: number;
  idx: number;
  parent: string;
  parentfield: string;
  parenttype: string;
  [fieldname: string]: FieldValue;
}

/**
 * A document: plain data. Timestamps have microseconds here and are shortened on the wire. Every stored
 * column and every child table is present (null, 0 or [] when unset). Only the write pipeline mutates a
 * document.
 */
export interface Document {
  doctype: string;
  name: string;
  owner: string;
  creation: string;
  modified: string;
  modified_by: string;
  docstatus: number;
  idx: number;
  [fieldname: string]: FieldValue | ChildRow[];
}

/** A link field that points at a doctype: a deletion could leave it dangling. */
export interface IncomingLink {
  readonly doctype: DocType;
  readonly field: DocField;
}

/** All doctypes of a site at one moment: immutable; a change creates a new registry. */
export interface DoctypeRegistry {
  /** Grows with every change, on every node. */
  readonly version: number;
  /** @throws ServiceError DoesNotExistError "DocType X not found" */
  get(doctypeName: string): DocType;
  find(doctypeName: string): DocType | undefined;
  all(): readonly DocType[];
  /** Link fields whose `options` is this doctype, in any doctype including child tables. */
  linksTo(doctypeName: string): readonly IncomingLink[];
  /** Dynamic Link fields of every doctype. */
  dynamicLinks(): readonly IncomingLink[];
  /** Parents and table fields that use this child doctype. */
  parentsOf(childDoctypeName: string): readonly IncomingLink[];
}
