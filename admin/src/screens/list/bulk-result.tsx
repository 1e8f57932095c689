import { t, tn } from '../../base/i18n.ts';
import type { BulkProgress } from '../../grid/list-bulk.ts';
import { Alert } from '../../widgets/feedback.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import css from './list-screen.module.css';

/** Maximum failures listed; users read no more. */
const LISTED = 200;

/** Result of a bulk action: successes, failures with reasons, and the rest if it was stopped. */
export function BulkResult({ progress }: { readonly progress: BulkProgress }) {
  const { done, total, failures } = progress;
  const succeeded = done - failures.length;
  return (
    <Stack gap={3}>
      <Alert tone={failures.length === 0 ? 'success' : 'warning'}>
        {tn(succeeded, '{count} record processed.', '{count} records processed.')}{' '}
        {failures.length > 0 && tn(failures.length, '{count} failed.', '{count} failed.')}{' '}
        {done < total && tn(total - done, '{count} not changed.', '{count} not changed.')}
      </Alert>
      {failures.length > 0 && (
        <ul className={css['failures']} aria-label={t('Failures')}>
          {failures.slice(0, LISTED).map(({ name, reason }) => (
            <li key={name}>
              <strong dir="auto">{name}</strong>
              <Muted isSmall>{reason}</Muted>
            </li>
          ))}
          {failures.length > LISTED && (
            <li>{tn(failures.length - LISTED, 'And {count} more', 'And {count} more')}</li>
          )}
        </ul>
      )}
    </Stack>
  );
}
