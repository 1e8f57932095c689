import { useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { metaQuery } from '../../meta/use-meta.ts';
import type { Choice } from '../../widgets/select.tsx';

/** Layout fieldtypes, and fieldtypes whose values are never sent. */
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

/** Fields of a doctype that a webhook can send, sorted by label. Empty while they load. */
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
