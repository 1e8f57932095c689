import { RESTRICTED_FIELDNAMES } from './standard-fields.ts';

/**
 * The properties that a Property Setter may set. All others are set in the definition itself, or in a new
 * doctype.
 */

/**
 * For every doctype, built-in ones included: properties of display, search and order, on which no check
 * depends.
 */
const HARMLESS_OF_DOCTYPE: ReadonlySet<string> = new Set([
  'title_field',
  'show_title_field_in_link',
  'search_fields',
  'image_field',
  'sort_field',
  'sort_order',
  'indexes',
  'field_order',
  'track_changes',
  'track_seen',
  'track_views',
  'quick_entry',
  'editable_grid',
  'document_type',
  'icon',
  'color',
  'description',
  'default_print_format',
  'translated_doctype',
]);

const HARMLESS_OF_FIELD: ReadonlySet<string> = new Set([
  'label',
  'description',
  'placeholder',
  'documentation_url',
  'default',
  'hidden',
  'bold',
  'in_list_view',
  'in_standard_filter',
  'in_global_search',
  'in_preview',
  'search_index',
  'depends_on',
  'collapsible',
  'collapsible_depends_on',
  'allow_in_quick_entry',
  'hide_border',
  'hide_days',
  'hide_seconds',
  'remember_last_selected_value',
  'report_hide',
  'print_hide',
  'print_hide_if_no_value',
  'print_width',
  'width',
  'max_height',
  'columns',
  'translatable',
]);

/** For built-in doctypes, these may be switched on but never off: off would remove a check. */
const ONLY_ON: ReadonlySet<string> = new Set(['reqd', 'read_only', 'enforce_on_server']);

/** Never set: the kind of a doctype or field, and its storage. */
const NEVER_OF_DOCTYPE: ReadonlySet<string> = new Set([
  'module',
  'app',
  'custom',
  'istable',
  'issingle',
  'is_submittable',
  'is_tree',
  'is_virtual',
  'fields',
  'permissions',
]);
const NEVER_OF_FIELD: ReadonlySet<string> = new Set(['fieldname', 'is_virtual', 'is_custom_field']);

export interface PropertyTarget {
  readonly of: 'DocType' | 'DocField';
  /** The doctype is built in. */
  readonly isStandard: boolean;
}

/** The reason why a property cannot be set to this value, as a sentence; null when it can. */
export function refusedProperty(target: PropertyTarget, property: string, value: string): string | null {
  if (!/^[a-z][a-z0-9_]{0,60}$/.test(property)) return `There is no property ${JSON.stringify(property)}`;
  const isField = target.of === 'DocField';
  if (RESTRICTED_FIELDNAMES.has(property) || (isField ? NEVER_OF_FIELD : NEVER_OF_DOCTYPE).has(property)) {
    return `${property} cannot be set: it belongs to the definition`;
  }
  if (!target.isStandard) return null;
  if ((isField ? HARMLESS_OF_FIELD : HARMLESS_OF_DOCTYPE).has(property)) return null;
  if (isField && ONLY_ON.has(property)) {
    return value === '1' ? null : `${property} of Chancery's own fields can only be switched on`;
  }
  return `${property} cannot be set on Chancery's own doctypes`;
}
