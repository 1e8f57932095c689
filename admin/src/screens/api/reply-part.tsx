import { formatNumber } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge, type Tone } from '../../widgets/feedback.tsx';
import { Card, Muted, Row, Stack } from '../../widgets/layout.tsx';
import css from './api.module.css';
import { CodeBlock } from './code-block.tsx';
import type { Tried } from './try-call.ts';
import type { CallForm } from './use-call.ts';

/** The reply of the last trial. */
export function ReplyPart({ form: { reply, error } }: { readonly form: CallForm }) {
  return (
    <Card label={t('Response')}>
      <Stack gap={3}>
        {error !== null && <ErrorPanel error={error} />}
        {reply ? <Reply reply={reply} /> : <Muted>{t('Send the request to see the response here.')}</Muted>}
      </Stack>
    </Card>
  );
}

function Reply({ reply }: { readonly reply: Tried }) {
  return (
    <>
      <Row isApart>
        <span className={css['status']} role="status">
          <Badge tone={toneOf(reply.status)}>
            <bdi dir="ltr">{`${reply.status} ${reply.statusText}`.trim()}</bdi>
          </Badge>
          <Muted isSmall>{t('{count} ms', { count: formatNumber(reply.millis) })}</Muted>
        </span>
        <CopyButton text={reply.body} label={t('Copy response')} />
      </Row>
      <CodeBlock label={t('Body of the response')} text={reply.body} />
      {reply.isCut && <Muted isSmall>{t('The rest is not displayed.')}</Muted>}
      <details className={css['details']}>
        <summary>{t('Headers')}</summary>
        <dl>
          {Object.entries(reply.headers).map(([name, value]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd dir="ltr">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

function toneOf(status: number): Tone {
  if (status < 300) return 'success';
  return status < 500 ? 'warning' : 'danger';
}
