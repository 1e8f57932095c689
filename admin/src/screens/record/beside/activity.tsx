import { useState } from 'react';
import { t } from '../../../base/i18n.ts';
import { LOG } from '../../../data/deliveries.ts';
import type { MetaBundle } from '../../../meta/meta.ts';
import { may } from '../../../meta/permissions.ts';
import { Tabs } from '../../../widgets/tabs.tsx';
import css from './beside.module.css';
import { CommentList } from './comment-list.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { VersionList } from './version-list.tsx';

/** Activity of a document below its form: comments, versions, deliveries. */
export function RecordActivity({ bundle, name }: { readonly bundle: MetaBundle; readonly name: string }) {
  const doctype = bundle.meta.name;
  const [chosen, choose] = useState('comments');
  const tabs = [
    may('Comment', 'read') && {
      id: 'comments',
      label: t('Comments'),
      content: <CommentList doctype={doctype} name={name} />,
    },
    may('Version', 'read') && {
      id: 'versions',
      label: t('Versions'),
      content: <VersionList bundle={bundle} name={name} />,
    },
    may(LOG, 'read') && {
      id: 'deliveries',
      label: t('Deliveries'),
      content: <DeliveryList doctype={doctype} name={name} />,
    },
  ].filter((tab) => tab !== false);
  const [first] = tabs;
  if (!first) return null;
  const value = tabs.some(({ id }) => id === chosen) ? chosen : first.id;
  return (
    <section className={css['activity']} aria-label={t('Activity')}>
      <Tabs label={t('Activity')} tabs={tabs} value={value} onChange={choose} />
    </section>
  );
}
