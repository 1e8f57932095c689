import { useQuery, useQueryClient } from '@tanstack/react-query';
import { formatDuration, formatNumber } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { keys } from '../../data/keys.ts';
import { createIndex, type IndexPlan, type SlowQuery, systemQuery } from '../../data/system.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import css from './system.module.css';

/** Shows what an index takes, and creates it. */
export function IndexDialog({ query, onClose }: { readonly query: SlowQuery; readonly onClose: () => void }) {
  const client = useQueryClient();
  const task = useTask();
  const fields = query.index ?? [];
  const args = { doctype: query.doctype, fields: JSON.stringify(fields) };
  const plan = useQuery(systemQuery<IndexPlan>('plan_index', args, false));
  const create = () =>
    task.run(async () => {
      const { in_background: isLater } = await createIndex(query.doctype, fields);
      await client.invalidateQueries({ queryKey: keys.method('chancery.system.slow_queries') });
      await client.invalidateQueries({ queryKey: keys.method('chancery.system.index_builds') });
      toast('success', isLater ? t('The index is being built') : t('Index created'));
      onClose();
    });
  return (
    <Modal isOpen onClose={onClose} title={t('Create index')} isSticky={task.isBusy}>
      <Stack gap={4}>
        {plan.data ? <Plan plan={plan.data} /> : plan.error === null && <Skeleton height={120} />}
        {plan.error !== null && <ErrorPanel error={plan.error} />}
        {task.error !== null && <ErrorPanel error={task.error} />}
        <Row isApart>
          <Button onClick={onClose}>{t('Back')}</Button>
          <Button
            kind="primary"
            isBusy={task.isBusy}
            disabled={!plan.data || !may('Property Setter', 'create')}
            onClick={() => void create()}
          >
            {t('Create index')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

function Plan({ plan }: { readonly plan: IndexPlan }) {
  const rows = plan.has_more ? `${formatNumber(plan.rows)}+` : formatNumber(plan.rows);
  const seconds = Math.ceil(plan.seconds);
  return (
    <>
      <dl className={css['details']}>
        <dt>{t('Doctype')}</dt>
        <dd>
          <bdi>{t(plan.doctype)}</bdi>
        </dd>
        <dt>{t('Fields')}</dt>
        <dd>
          <code dir="ltr">{plan.fields.join(', ')}</code>
        </dd>
        <dt>{t('Rows')}</dt>
        <dd>{rows}</dd>
        <dt>{t('Time')}</dt>
        <dd>
          {seconds < 60
            ? tn(Math.max(1, seconds), 'Up to {count} second', 'Up to {count} seconds')
            : t('Up to {time}', { time: formatDuration(seconds) })}
        </dd>
        <dt>{t('Stored in')}</dt>
        <dd>{plan.stored_as}</dd>
      </dl>
      <Muted isSmall>
        {plan.in_background
          ? t('The index is built in the background while documents change. Writing becomes a little slower.')
          : t('Changes of this doctype wait while the index is built. Writing becomes a little slower.')}
      </Muted>
    </>
  );
}
