import type { Definition } from './definition.ts';
import type { DocType } from './doctype.ts';

/** Checks the form: at most one Fold, and an image field that holds images. */
export function checkLayout(doctype: DocType, definition: Definition): void {
  const folds = doctype.fields.filter((field) => field.fieldtype === 'Fold');
  if (folds.length > 1) definition.odd('there can be only one Fold', 'the first one counts');
  const image = definition.text('image_field');
  if (image !== '' && doctype.fieldByName.get(image)?.fieldtype !== 'Attach Image') {
    definition.odd(`image_field ${image} is not an Attach Image field of the doctype`, 'it is ignored');
  }
}

/** The order of a doctype's lists. */
export interface SortOrder {
  readonly sort_field: string;
  readonly sort_order: 'asc' | 'desc';
}

/**
 * `sort_field` may hold several terms (`status asc, modified desc`). The first one is the order, with its own
 * direction.
 */
export function parseSortOrder(definition: Definition): SortOrder {
  const first = definition.text('sort_field').split(',')[0]?.trim() ?? '';
  const [, field = first, direction] = /^(\w+)\s+(asc|desc)$/i.exec(first) ?? [];
  const order = (direction ?? definition.text('sort_order')).toLowerCase() || 'desc';
  const isOrder = order === 'asc' || order === 'desc';
  if (!isOrder) definition.odd('sort_order must be ASC or DESC', 'DESC applies');
  return { sort_field: field || 'modified', sort_order: isOrder ? order : 'desc' };
}
