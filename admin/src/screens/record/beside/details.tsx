import { formatDatetime, formatRelative } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import css from './beside.module.css';
import { Part, type RailPartProps } from './rail-part.tsx';

/** Who created and last changed the document, and when. */
export function Details({ doc }: RailPartProps) {
  if (!doc.creation && !doc.modified) return null;
  return (
    <Part title={t('Details')}>
      <dl className={css['details']}>
        <Moment label={t('Created')} at={doc.creation} by={doc.owner} />
        <Moment label={t('Changed')} at={doc.modified} by={doc.modified_by} />
      </dl>
    </Part>
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
