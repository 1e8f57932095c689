import { t } from '../../base/i18n.ts';
import { Alert } from '../../widgets/feedback.tsx';
import { clockText } from './delivery-row.tsx';

/** Receivers named in one notice. */
const MOST = 3;

/** Says why deliveries are queued while their receiver rests. */
export function RestNotice({
  rests,
  webhook,
}: {
  readonly rests: ReadonlyMap<string, string>;
  readonly webhook: string | undefined;
}) {
  const shown = [...rests].filter(([name]) => webhook === undefined || name === webhook).slice(0, MOST);
  if (shown.length === 0) return null;
  return (
    <Alert tone="warning">
      {shown.map(([name, until]) => (
        <p key={name}>
          {t('The receiver of {webhook} fails and gets no requests for a while: next probe {time}.', {
            webhook: name,
            time: clockText(until),
          })}
        </p>
      ))}
      <p>{t('Its deliveries wait and lose no attempts.')}</p>
    </Alert>
  );
}
