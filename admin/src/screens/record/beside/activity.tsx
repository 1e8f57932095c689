import { useState } from 'react';
import { formatNumber } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import type { Doc } from '../../../data/documents.ts';
import type { MetaBundle } from '../../../meta/meta.ts';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Skeleton } from '../../../widgets/feedback.tsx';
import { Muted, Stack } from '../../../widgets/layout.tsx';
import { Tabs } from '../../../widgets/tabs.tsx';
import { type Happening, type Kind, useActivity } from './activity-data.ts';
import css from './beside.module.css';
import { MOST } from './beside-data.ts';
import { CommentEntry } from './comment-entry.tsx';
import { CommentForm } from './comment-form.tsx';
import { CreatedEntry } from './created-entry.tsx';
import { DeliveryEntry } from './delivery-entry.tsx';
import { VersionEntry } from './version-entry.tsx';

interface ActivityProps {
  readonly bundle: MetaBundle;
  readonly doc: Doc;
}

/** What happened to a document: comments, versions and deliveries, together and by kind. */
export function RecordActivity({ bundle, doc }: ActivityProps) {
  const doctype = bundle.meta.name;
  const { name } = doc;
  const [chosen, choose] = useState('all');
  const { kinds, all, ...loading } = useActivity(doctype, name);
  if (kinds.length === 0) return null;
  const labels = { comment: t('Comments'), version: t('Versions'), delivery: t('Deliveries') };
  // A Single has no creation.
  const hasBegun = !bundle.meta.issingle && Boolean(doc.creation);
  const panel = (list: readonly Happening[], nothing: string, hasForm: boolean) => (
    <Stack gap={3}>
      {hasForm && <CommentForm doctype={doctype} name={name} />}
      <Timeline {...{ list, nothing, bundle, loading }} created={list === all && hasBegun ? doc : null} />
    </Stack>
  );
  const tabs = [
    {
      id: 'all',
      label: t('All'),
      content: panel(all, t('No changes yet.'), kinds.includes('comment')),
    },
    ...kinds.map((kind) => {
      const list = all.filter((one) => one.kind === kind);
      return {
        id: kind,
        label: <CountedLabel label={labels[kind]} count={list.length} />,
        content: panel(list, nothingOf(kind, bundle), kind === 'comment'),
      };
    }),
  ];
  return (
    <section className={css['activity']} aria-label={t('Activity')}>
      <Tabs label={t('Activity')} tabs={tabs} value={chosen} onChange={choose} />
    </section>
  );
}

function CountedLabel({ label, count }: { readonly label: string; readonly count: number }) {
  return (
    <>
      {label}
      {count > 0 && (
        <span className={css['count']}>{` ${formatNumber(count)}${count >= MOST ? '+' : ''}`}</span>
      )}
    </>
  );
}

interface TimelineProps {
  readonly list: readonly Happening[];
  readonly nothing: string;
  /** The document, to end the list with its creation. */
  readonly created: Doc | null;
  readonly bundle: MetaBundle;
  readonly loading: Pick<ReturnType<typeof useActivity>, 'error' | 'retry' | 'isPending'>;
}

function Timeline({ list, nothing, created, bundle, loading }: TimelineProps) {
  const { error, retry, isPending } = loading;
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
  if (isPending) return <Skeleton height={60} />;
  if (list.length === 0 && !created) return <Muted>{nothing}</Muted>;
  return (
    <ul className={css['entries']}>
      {list.map((one) => (
        <Entry key={`${one.kind} ${idOf(one)}`} one={one} bundle={bundle} />
      ))}
      {created && list.length < MOST && <CreatedEntry doc={created} />}
    </ul>
  );
}

function Entry({ one, bundle }: { readonly one: Happening; readonly bundle: MetaBundle }) {
  if (one.kind === 'comment') return <CommentEntry comment={one.comment} />;
  if (one.kind === 'version') return <VersionEntry version={one.version} bundle={bundle} />;
  return <DeliveryEntry delivery={one.delivery} />;
}

function idOf(one: Happening): string {
  if (one.kind === 'comment') return one.comment.name;
  return one.kind === 'version' ? one.version.name : one.delivery.name;
}

function nothingOf(kind: Kind, { meta }: MetaBundle): string {
  if (kind === 'comment') return t('No comments yet.');
  if (kind === 'delivery') return t('No deliveries for this document.');
  return meta.track_changes
    ? t('No changes yet.')
    : t('{doctype} has no version history.', { doctype: meta.name });
}
