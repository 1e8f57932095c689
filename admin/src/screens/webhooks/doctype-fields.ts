import { useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { metaQuery } from '../../meta/use-meta.ts';
import type { Choice } from '../../widgets/select.tsx';

/** Fieldtypes that only arrange, or whose values leave for nobody. */
const UNSENT: ReadonlySet<string> = new Set([
  'Section Break',
  'Column Break',
  'Tab Break',
  'Fold',
  'Heading',
  'HTML',
  'Button',
  'Image',
  'Password',
]);

/** Fields of a doctype that a webhook may send, by their labels. Empty while they are on their way. */
export function useSentFields(doctype: string): readonly Choice[] {
  const { data } = useQuery({ ...metaQuery(doctype), enabled: doctype !== '' });
  if (!data) return [];
  const own = data.meta.fields
    .filter(({ fieldtype, is_virtual }) => !UNSENT.has(fieldtype) && !is_virtual)
    .map(({ fieldname, label }) => ({
      value: fieldname,
      label: label === '' || label === fieldname ? fieldname : `${label} (${fieldname})`,
    }));
  return [
    { value: 'name', label: `${t('Name')} (name)` },
    ...own,
    ...['owner', 'creation', 'modified', 'modified_by', 'docstatus', 'doctype'].map((value) => ({
      value,
      label: value,
    })),
  ];
}
