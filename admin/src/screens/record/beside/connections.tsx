import { useQuery } from '@tanstack/react-query';
import { formatNumber } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { PathLink } from '../../../base/navigation.tsx';
import { paths } from '../../../base/paths.ts';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Skeleton } from '../../../widgets/feedback.tsx';
import css from './beside.module.css';
import { connectionsQuery } from './beside-data.ts';
import { Part, type RailPartProps } from './rail-part.tsx';

/** Documents that link to this one. */
export function Connections({ doc: { doctype, name } }: RailPartProps) {
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
