import { formatDatetime, formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { Attempt, DeliveryDetails } from '../../data/deliveries.ts';
import { Badge } from '../../widgets/feedback.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';
import css from './deliveries.module.css';
import { headersOf } from './delivery-curl.ts';
import { errorWords, httpWords } from './error-words.ts';
import { HeaderTable } from './header-table.tsx';

/** All attempts of a delivery, newest first, with duration and response. */
export function AttemptList({ delivery }: { readonly delivery: DeliveryDetails }) {
  const attempts = delivery.attempts.toSorted((a, b) => b.attempt - a.attempt);
  if (attempts.length === 0) return <Muted>{t('No attempts yet.')}</Muted>;
  return (
    <ol className={css['attempts']} reversed>
      {attempts.map((attempt, at) => (
        <li
          key={attempt.attempt}
          className={css['attempt']}
          data-failed={attempt.error === null ? undefined : true}
        >
          <details open={at === 0}>
            <summary>
              <strong>{t('Attempt {number}', { number: attempt.attempt })}</strong>
              <span>
                {attempt.response_status > 0 ? httpWords(attempt.response_status) : t('No response')}
              </span>
              <span>{t('{count} ms', { count: formatNumber(attempt.duration_ms) })}</span>
              <Muted isSmall>{formatDatetime(attempt.started_at)}</Muted>
            </summary>
            <div>
              <Answer attempt={attempt} />
            </div>
          </details>
        </li>
      ))}
    </ol>
  );
}

/** Marker that the server appends to a truncated response. */
const MARK = '\n(body_truncated:';

function Answer({ attempt }: { readonly attempt: Attempt }) {
  const headers = headersOf(attempt.response_headers);
  const said = errorBesideStatus(attempt);
  const text = attempt.response ?? '';
  const cut = text.lastIndexOf(MARK);
  return (
    <Stack gap={2}>
      {said !== null && <span className={css['error']}>{said}</span>}
      <Muted isSmall>{timings(attempt)}</Muted>
      {Object.keys(headers).length > 0 && (
        <HeaderTable headers={headers} label={t('Headers of the response')} />
      )}
      {text !== '' && (
        <>
          <pre className={css['code']}>{cut < 0 ? text : text.slice(0, cut)}</pre>
          {cut >= 0 && (
            <span>
              <Badge tone="warning">{t('Truncated: the response exceeds the stored size')}</Badge>
            </span>
          )}
        </>
      )}
    </Stack>
  );
}

// The status is in the heading already.
function errorBesideStatus({ error, response_status: status }: Attempt): string | null {
  if (error === null) return null;
  const words = errorWords(error);
  return words === httpWords(status) ? null : words;
}

function timings(attempt: Attempt): string {
  const parts = [
    ['DNS', attempt.dns_ms],
    [t('connect'), attempt.connect_ms],
    ['TLS', attempt.tls_ms],
    [t('first byte'), attempt.ttfb_ms],
  ] as const;
  const shown = parts.flatMap(([word, millis]) =>
    millis === null ? [] : [`${word} ${t('{count} ms', { count: formatNumber(millis) })}`],
  );
  return [...shown, ...(attempt.remote_ip ? [attempt.remote_ip] : [])].join(' · ');
}
