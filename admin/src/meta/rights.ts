import { t } from '../base/i18n.ts';
import { RIGHT_NAMES, type RightName } from '../data/boot.ts';

/** The short name of a right: the head of a column. */
export function labelOfRight(right: RightName): string {
  const labels: Readonly<Record<RightName, string>> = {
    select: t('Select'),
    read: t('Read'),
    write: t('Write'),
    create: t('Create'),
    delete: t('Delete'),
    submit: t('Submit'),
    cancel: t('Cancel'),
    amend: t('Amend'),
    report: t('Report'),
    export: t('Export'),
    import: t('Import'),
    share: t('Sharing'),
    print: t('Print'),
    email: t('Email'),
  };
  return labels[right];
}

/** Rights that apply to fields of a level above 0. */
const OF_FIELDS: ReadonlySet<RightName> = new Set(['read', 'write']);
const OF_SUBMITTABLE: ReadonlySet<RightName> = new Set(['submit', 'cancel', 'amend']);

/** Whether a right can be granted on a level. */
export function applies(permlevel: number, right: RightName, isSubmittable: boolean): boolean {
  if (permlevel > 0) return OF_FIELDS.has(right);
  return isSubmittable || !OF_SUBMITTABLE.has(right);
}

/** The rights on documents in their usual order, without those that only submittable documents know. */
export function rightsFor(isSubmittable: boolean): readonly RightName[] {
  return RIGHT_NAMES.filter((right) => applies(0, right, isSubmittable));
}
