import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatDatetime, formatNumber, formatRelative } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { PathLink } from '../../../base/navigation.tsx';
import { paths } from '../../../base/paths.ts';
import type { DeliveryStatus } from '../../../data/deliveries.ts';
import type { Doc } from '../../../data/documents.ts';
import { useFreshness } from '../../../data/events.ts';
import { may } from '../../../meta/permissions.ts';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Badge, Skeleton } from '../../../widgets/feedback.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { eventWord, STATUS_TONES, statusWord } from '../../deliveries/delivery-words.ts';
import { Attachments } from './attachments.tsx';
import css from './beside.module.css';
import { connectionsQuery, webhooksQuery } from './beside-data.ts';

interface RailProps {
  /** The stored document. */
  readonly doc: Doc;
  readonly canWrite: boolean;
}

/** Details of a document: attachments, linked documents, webhooks, creation and last change. */
export function RecordRail({ doc, canWrite }: RailProps) {
  const { doctype, name } = doc;
  useFreshness(['File', 'Comment', 'Version']);
  return (
    <aside className={css['rail']} aria-label={t('About this document')}>
      {may('File', 'read') && (
        <Part title={t('Attachments')}>
          <Attachments doctype={doctype} name={name} canWrite={canWrite} key={`${doctype} ${name}`} />
        </Part>
      )}
      <Connections doctype={doctype} name={name} />
      {may('Webhook', 'read') && <Webhooks doctype={doctype} />}
      {(doc.creation || doc.modified) && (
        <Part title={t('Details')}>
          <dl className={css['details']}>
            <Moment label={t('Created')} at={doc.creation} by={doc.owner} />
            <Moment label={t('Changed')} at={doc.modified} by={doc.modified_by} />
          </dl>
        </Part>
      )}
    </aside>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={css['part']} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Moment({ label, at, by }: { readonly label: string; readonly at?: string; readonly by: string }) {
  // Settings that were never saved.
  if (!at) return null;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <time dateTime={at} title={formatDatetime(at, 'full')}>
          {formatRelative(at)}
        </time>{' '}
        <span dir="auto" className={css['by']} title={by}>
          {by}
        </span>
      </dd>
    </div>
  );
}

function Connections({ doctype, name }: { readonly doctype: string; readonly name: string }) {
  const { data, error, refetch, isPending } = useQuery(connectionsQuery(doctype, name));
  if (data?.length === 0) return null;
  return (
    <Part title={t('Linked documents')}>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton height={24} />}
      <ul className={css['connections']}>
        {data?.map((one) => (
          <li key={one.doctype}>
            <div className={css['byline']}>
              <PathLink to={paths.list(one.doctype)}>{t(one.doctype)}</PathLink>
              <span className={css['when']}>{`${formatNumber(one.count)}${one.isCapped ? '+' : ''}`}</span>
            </div>
            <ul className={css['names']}>
              {one.names.slice(0, 5).map((linking) => (
                <li key={linking}>
                  <PathLink to={paths.record(one.doctype, linking)} dir="auto">
                    {linking}
                  </PathLink>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Webhooks({ doctype }: { readonly doctype: string }) {
  const { data } = useQuery(webhooksQuery(doctype));
  if (!data || data.length === 0) return null;
  return (
    <Part title={t('Webhooks')}>
      <ul className={css['connections']}>
        {data.map((one) => (
          <li key={one.name} className={css['byline']}>
            <PathLink to={paths.webhook(one.name)} dir="auto" title={one.url}>
              {one.name}
            </PathLink>
            <Muted isSmall>{eventWord(one.event)}</Muted>
            {one.lastStatus !== '' && (
              <Badge tone={STATUS_TONES[one.lastStatus as DeliveryStatus] ?? 'neutral'}>
                {statusWord(one.lastStatus as DeliveryStatus)}
              </Badge>
            )}
          </li>
        ))}
      </ul>
    </Part>
  );
}
