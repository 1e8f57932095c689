import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { currentCustoms } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { listRows } from '../../../data/documents.ts';
import { keys } from '../../../data/keys.ts';
import { useDirty, useForm, useValue } from '../../../form/form-context.ts';
import { may } from '../../../meta/permissions.ts';
import { DocumentPicker } from '../../../widgets/document-picker.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import css from './format-editor.module.css';

const NEWEST = { fields: ['name'], order_by: 'modified desc', limit_page_length: 1 };

/** The page of a record in the stored format. The newest record, until another one is chosen. */
export function FormatPreview({ doctype }: { readonly doctype: string }) {
  const { docname, store } = useForm();
  const [chosen, setChosen] = useState('');
  const isDirty = useDirty(store);
  const saved = String(useValue('modified') ?? '');
  const { data } = useQuery({
    queryKey: keys.list(doctype, NEWEST),
    queryFn: ({ signal }) => listRows<{ readonly name: string }>(doctype, NEWEST, { signal }),
    enabled: may(doctype, 'read'),
  });
  const newest = data?.[0]?.name ?? '';
  const name = chosen || newest;
  if (docname === null) return <Muted>{t('Save the format to see its page.')}</Muted>;
  if (data && newest === '') return <Muted>{t('There is no record to show yet.')}</Muted>;
  const search = new URLSearchParams({ doctype, name, format: docname, _lang: currentCustoms().locale });
  const url = `/printview?${search}`;
  return (
    <div className={`${css['side']} ${css['page']}`}>
      <DocumentPicker
        doctype={doctype}
        label={t('Record on the page')}
        placeholder={newest}
        value={chosen}
        onChange={setChosen}
      />
      {isDirty && <Muted isSmall>{t('Save to see your changes on the page.')}</Muted>}
      {name !== '' && (
        <iframe key={`${url} ${saved}`} className={css['paper']} src={url} title={t('Preview')} />
      )}
    </div>
  );
}
