import { RIGHT_NAMES, type RightName } from '../data/boot.ts';

/** A field of a doctype as forms and lists use it. */
export interface Field {
  readonly fieldname: string;
  readonly label: string;
  readonly fieldtype: string;
  /**
   * Select: lines of options; Link and Table: a doctype; Dynamic Link: the field that holds the doctype;
   * Data: a format.
   */
  readonly options: string;
  readonly default: string;
  readonly description: string;
  readonly placeholder: string;
  readonly reqd: boolean;
  readonly unique: boolean;
  readonly read_only: boolean;
  readonly hidden: boolean;
  readonly bold: boolean;
  readonly set_only_once: boolean;
  readonly allow_on_submit: boolean;
  readonly no_copy: boolean;
  readonly non_negative: boolean;
  readonly in_list_view: boolean;
  readonly in_standard_filter: boolean;
  readonly is_virtual: boolean;
  readonly collapsible: boolean;
  readonly depends_on: string;
  readonly mandatory_depends_on: string;
  readonly read_only_depends_on: string;
  readonly collapsible_depends_on: string;
  readonly fetch_from: string;
  readonly fetch_if_empty: boolean;
  /** JSON: initial filters of this link's search. */
  readonly link_filters: string;
  readonly length: number;
  readonly precision: number;
  readonly permlevel: number;
  /** Relative column width in a child grid; 0 if not set. */
  readonly columns: number;
}

/** A permission row, with only the properties that the UI uses. */
export interface PermissionRow {
  readonly role: string;
  readonly permlevel: number;
  readonly if_owner: boolean;
  readonly rights: ReadonlySet<RightName>;
}

/** Metadata of a doctype. */
export interface Meta {
  readonly name: string;
  readonly module: string;
  readonly description: string;
  readonly custom: boolean;
  readonly issingle: boolean;
  readonly istable: boolean;
  readonly is_submittable: boolean;
  readonly is_tree: boolean;
  readonly is_virtual: boolean;
  readonly in_create: boolean;
  readonly read_only: boolean;
  /** The Link field with a node's parent; '' if the doctype is no tree. */
  readonly nsm_parent_field: string;
  readonly autoname: string;
  readonly naming_rule: string;
  /** '' if documents have no title besides their name. */
  readonly title_field: string;
  readonly default_print_format: string;
  readonly image_field: string;
  readonly search_fields: readonly string[];
  readonly sort_field: string;
  readonly sort_order: 'asc' | 'desc';
  readonly track_changes: boolean;
  readonly allow_rename: boolean;
  readonly max_attachments: number;
  /** All fields in order, layout fields included. */
  readonly fields: readonly Field[];
  readonly fieldByName: ReadonlyMap<string, Field>;
  readonly permissions: readonly PermissionRow[];
}

/** A doctype and the doctypes of its child tables, by name. */
export interface MetaBundle {
  readonly meta: Meta;
  readonly children: ReadonlyMap<string, Meta>;
}

type Wire = Readonly<Record<string, unknown>>;

/** Parses the server's metadata defensively, because apps and imports write it. */
export function metaOf(wire: Wire): Meta {
  const fields = listOf(wire['fields']).map(fieldOf);
  return {
    name: text(wire['name']),
    module: text(wire['module']),
    description: text(wire['description']),
    custom: flag(wire['custom']),
    issingle: flag(wire['issingle']),
    istable: flag(wire['istable']),
    is_submittable: flag(wire['is_submittable']),
    is_tree: flag(wire['is_tree']),
    is_virtual: flag(wire['is_virtual']),
    in_create: flag(wire['in_create']),
    read_only: flag(wire['read_only']),
    nsm_parent_field: flag(wire['is_tree'])
      ? text(wire['nsm_parent_field']) || parentFieldOf(text(wire['name']))
      : '',
    autoname: text(wire['autoname']),
    naming_rule: text(wire['naming_rule']),
    title_field: text(wire['title_field']),
    default_print_format: text(wire['default_print_format']),
    image_field: text(wire['image_field']),
    search_fields: text(wire['search_fields'])
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
    sort_field: text(wire['sort_field']) || 'modified',
    sort_order: text(wire['sort_order']).toLowerCase() === 'asc' ? 'asc' : 'desc',
    track_changes: flag(wire['track_changes']),
    allow_rename: flag(wire['allow_rename']),
    max_attachments: count(wire['max_attachments']),
    fields,
    fieldByName: new Map(fields.map((field) => [field.fieldname, field])),
    permissions: listOf(wire['permissions']).map(permissionOf),
  };
}

function fieldOf(wire: Wire, at: number): Field {
  const fieldname = text(wire['fieldname']) || `_layout_${at}`;
  return {
    fieldname,
    label: text(wire['label']),
    fieldtype: text(wire['fieldtype']) || 'Data',
    options: text(wire['options']),
    default: text(wire['default']),
    description: text(wire['description']),
    placeholder: text(wire['placeholder']),
    reqd: flag(wire['reqd']),
    unique: flag(wire['unique']),
    read_only: flag(wire['read_only']),
    hidden: flag(wire['hidden']),
    bold: flag(wire['bold']),
    set_only_once: flag(wire['set_only_once']),
    allow_on_submit: flag(wire['allow_on_submit']),
    no_copy: flag(wire['no_copy']),
    non_negative: flag(wire['non_negative']),
    in_list_view: flag(wire['in_list_view']),
    in_standard_filter: flag(wire['in_standard_filter']),
    is_virtual: flag(wire['is_virtual']),
    collapsible: flag(wire['collapsible']),
    depends_on: text(wire['depends_on']),
    mandatory_depends_on: text(wire['mandatory_depends_on']),
    read_only_depends_on: text(wire['read_only_depends_on']),
    collapsible_depends_on: text(wire['collapsible_depends_on']),
    fetch_from: text(wire['fetch_from']),
    fetch_if_empty: flag(wire['fetch_if_empty']),
    link_filters: text(wire['link_filters']),
    length: count(wire['length']),
    precision: count(wire['precision']),
    permlevel: count(wire['permlevel']),
    columns: count(wire['columns']),
  };
}

function permissionOf(wire: Wire): PermissionRow {
  return {
    role: text(wire['role']),
    permlevel: count(wire['permlevel']),
    if_owner: flag(wire['if_owner']),
    rights: new Set(RIGHT_NAMES.filter((right) => flag(wire[right]))),
  };
}

function parentFieldOf(doctype: string): string {
  return `parent_${doctype.toLowerCase().replaceAll(' ', '_')}`;
}

function listOf(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function flag(value: unknown): boolean {
  return value === 1 || value === true || value === '1';
}

function count(value: unknown): number {
  const number = Number(value);
  return Number.isFinite(number) ? number : 0;
}
