import type { ViewSettings } from '../../../grid/list-search.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { cardFields } from '../cards/card-fields.ts';

/** What a gallery shows. */
export interface Gallery {
  readonly image: Field;
  /** Values of a tile, below its title. */
  readonly cards: readonly Field[];
}

/** The fields that can hold the picture of a document. */
export function imageFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ fieldtype }) => fieldtype === 'Attach Image');
}

/** Parses the settings. Without them, the picture is the doctype's own. */
export function galleryOf(settings: ViewSettings, meta: Meta, fields: readonly Field[]): Gallery | null {
  const possible = imageFields(fields);
  const image =
    possible.find(({ fieldname }) => fieldname === settings['image']) ??
    possible.find(({ fieldname }) => fieldname === meta.image_field) ??
    possible[0];
  return image ? { image, cards: cardFields(meta, fields, settings['cards']) } : null;
}
