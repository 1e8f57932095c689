import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { BulkProgress } from '../../grid/list-bulk.ts';
import { Alert } from '../../widgets/feedback.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import type { ActionTexts } from './bulk-action.ts';
import css from './list-screen.module.css';

/** Maximum failures listed; users read no more. */
const LISTED = 200;

export interface BulkResultProps {
  readonly doctype: string;
  readonly progress: BulkProgress;
  readonly texts: ActionTexts;
}

/** Result of a bulk action that did not wholly succeed: the failures with their reasons, and the rest. */
export function BulkResult({ doctype, progress, texts }: BulkResultProps) {
  const { done, total, failures } = progress;
  const said = [
    texts.doneOf(done - failures.length),
    failures.length > 0 ? tn(failures.length, '{count} failed', '{count} failed') : null,
    done < total ? tn(total - done, '{count} not changed', '{count} not changed') : null,
  ];
  return (
    <Stack gap={3}>
      <Alert tone={failures.length === 0 ? 'success' : 'warning'}>{said.filter(Boolean).join(', ')}</Alert>
      {failures.length > 0 && (
        <ul className={css['failures']} aria-label={t('Failures')}>
          {failures.slice(0, LISTED).map(({ name, reason }) => (
            <li key={name}>
              <PathLink to={paths.record(doctype, name)} target="_blank" dir="auto">
                {name}
              </PathLink>
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
