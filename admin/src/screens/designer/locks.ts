import { t } from '../../base/i18n.ts';
import type { Design } from './design-data.ts';
import { type DraftField, isOn } from './draft.ts';

/** True for a field of the file of an app or of the server: it can be customized, but not removed. */
export function isShipped(design: Design | null, field: DraftField): boolean {
  return design !== null && design.app !== '' && field.isStored && !isOn(field.values, 'is_custom_field');
}

/** The reason why a property of a field cannot be changed; '' when it can. */
export function lockOf(design: Design | null, field: DraftField, property: string): string {
  if (property === 'fieldname' && field.isStored) return t('A stored field keeps its name.');
  const isLocked = design !== null && isShipped(design, field) && design.locked.field[property] !== undefined;
  return isLocked ? lockWords(design) : '';
}

/** The reason why something of a shipped doctype is locked. */
export function lockWords(design: Design): string {
  return t('Fixed by {app}', { app: shipperOf(design) });
}

/** The name of who ships a doctype. */
export function shipperOf({ app }: Design): string {
  return app === 'standard' ? 'Chancery' : app;
}
