import { useQuery } from '@tanstack/react-query';
import { t } from '../../../base/i18n.ts';
import { PathLink } from '../../../base/navigation.tsx';
import { paths } from '../../../base/paths.ts';
import type { DeliveryStatus } from '../../../data/deliveries.ts';
import { may } from '../../../meta/permissions.ts';
import { Badge } from '../../../widgets/feedback.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { eventWord, STATUS_TONES, statusWord } from '../../deliveries/delivery-words.ts';
import css from './beside.module.css';
import { webhooksQuery } from './beside-data.ts';
import { Part, type RailPartProps } from './rail-part.tsx';

/** The enabled webhooks of the doctype, with the state of their last delivery. */
export function FiringWebhooks({ doc }: RailPartProps) {
  const { data } = useQuery({ ...webhooksQuery(doc.doctype), enabled: may('Webhook', 'read') });
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
