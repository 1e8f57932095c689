import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { BootDoctype } from '../../data/boot.ts';
import { eventsOf, previewWebhook } from '../../data/webhooks.ts';
import { may } from '../../meta/permissions.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { DocumentPicker } from '../../widgets/document-picker.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Card, Muted, Row, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { eventWord } from '../deliveries/delivery-words.ts';
import { HeaderTable } from '../deliveries/header-table.tsx';
import css from './api.module.css';
import { CodeBlock } from './code-block.tsx';

/** An address that a preview needs; nothing is sent to it. */
const EXAMPLE = 'https://example.com/hook';

/** The webhook events of a doctype, with the real payload for a record. */
export function EventsPart({ doctype }: { readonly doctype: BootDoctype }) {
  const events = eventsOf(doctype.is_submittable);
  const [event, setEvent] = useState<string>('on_update');
  const [document, setDocument] = useState('');
  const canSee = may('Webhook', 'create');
  const args = {
    changes: { webhook_doctype: doctype.name, webhook_docevent: event, request_url: EXAMPLE },
    ...(document === '' ? {} : { document }),
  };
  const { data, error } = useQuery({
    queryKey: ['method', 'chancery.webhook.preview', args],
    queryFn: ({ signal }) => previewWebhook(args, signal),
    enabled: canSee,
    staleTime: 0,
    retry: false,
  });
  if (!canSee)
    return (
      <EmptyState icon="webhook" title={t('No right to webhooks')}>
        {t('Previews of payloads need the right to create webhooks.')}
      </EmptyState>
    );
  return (
    <Stack>
      <div className={css['bar']}>
        <Select
          label={t('Event')}
          value={event}
          onChange={(next) => setEvent(next ?? 'on_update')}
          choices={events.map((value) => ({ value, label: `${eventWord(value)} (${value})` }))}
        />
        <DocumentPicker
          doctype={doctype.name}
          label={t('Record')}
          placeholder={data?.document ?? t('Most recently changed')}
          value={document}
          onChange={setDocument}
        />
        <PathLink to={paths.newWebhook({ webhook_doctype: doctype.name, webhook_docevent: event })}>
          {t('Create a webhook for this event')}
        </PathLink>
      </div>
      {error && <ErrorPanel error={error} />}
      {!data && !error && <Skeleton height={240} />}
      {data && <Payload body={data.body} headers={data.headers} error={data.error} />}
    </Stack>
  );
}

interface PayloadProps {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: string | null;
}

function Payload({ body, headers, error }: PayloadProps) {
  if (body === '') return <Muted>{error ?? t('There is no record to show yet.')}</Muted>;
  const text = laidOut(body);
  return (
    <div className={css['panel']}>
      <Card>
        <Stack gap={3}>
          <Row isApart>
            <h2>{t('Body')}</h2>
            <CopyButton text={text} label={t('Copy body')} />
          </Row>
          <CodeBlock label={t('Body')} text={text} />
        </Stack>
      </Card>
      <Card label={t('Headers')}>
        <Stack gap={3}>
          <h2>{t('Headers')}</h2>
          <HeaderTable headers={headers} label={t('Headers of the request')} />
        </Stack>
      </Card>
    </div>
  );
}

function laidOut(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
