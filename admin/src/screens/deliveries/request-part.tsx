import { useState } from 'react';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import type { DeliveryBody, DeliveryDetails } from '../../data/deliveries.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import { SegmentedControl } from '../../widgets/segmented-control.tsx';
import css from './deliveries.module.css';
import { headersOf } from './delivery-curl.ts';
import { HeaderTable } from './header-table.tsx';

/** Maximum characters shown of a body. Copying includes all. */
const SHOWN = 64 * 1024;

/** The request: address, headers and body, raw or formatted. */
export function RequestPart({
  delivery,
  body,
  error,
}: {
  readonly delivery: DeliveryDetails;
  readonly body: DeliveryBody | undefined;
  readonly error: unknown;
}) {
  const [form, setForm] = useState<'sent' | 'laid'>('sent');
  const headers = headersOf(delivery.headers);
  const text = body ? new TextDecoder().decode(body.bytes) : '';
  const shown = form === 'sent' ? text : laidOut(text);
  return (
    <section className={css['section']} aria-label={t('Request')}>
      <h3>{t('Request')}</h3>
      <code className={css['code']}>
        {delivery.request_method} {delivery.url}
      </code>
      {Object.keys(headers).length > 0 && (
        <HeaderTable headers={headers} label={t('Headers of the request')} />
      )}
      {error !== null && <ErrorPanel error={error} />}
      {body && (
        <>
          <Row isApart>
            <SegmentedControl
              label={t('Body format')}
              value={form}
              onChange={setForm}
              choices={[
                { value: 'sent', label: t('As sent') },
                { value: 'laid', label: t('Formatted') },
              ]}
            />
            <Row>
              <Muted isSmall>{formatBytes(body.bytes.length)}</Muted>
              <CopyButton text={text} label={t('Copy the body')} />
            </Row>
          </Row>
          <pre className={css['code']}>{shown.slice(0, SHOWN)}</pre>
          {shown.length > SHOWN && (
            <Muted isSmall>{t('Only the beginning is shown. Copy to get the whole body.')}</Muted>
          )}
          <Muted isSmall>
            SHA-256 <code>{body.sha256}</code>
          </Muted>
        </>
      )}
    </section>
  );
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
