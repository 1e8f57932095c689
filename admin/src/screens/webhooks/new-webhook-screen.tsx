import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useGo, useSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { Versioned } from '../../data/documents.ts';
import { Page } from '../../widgets/page.tsx';
import { SecretDialog } from '../../widgets/secret-dialog.tsx';
import { SecretLine } from '../../widgets/secret-line.tsx';
import { WebhookEditor } from './webhook-editor.tsx';

/** Creates a webhook. Shows its secret once and then opens its screen. */
export function Screen() {
  const doctype = useSearch((search) => search['webhook_doctype']);
  const url = useSearch((search) => search['request_url']);
  const [saved, setSaved] = useState<Versioned | null>(null);
  const go = useGo();
  return (
    <Page title={t('New webhook')} trail={[{ label: t('Webhooks'), path: paths.webhooks() }]}>
      <WebhookEditor
        known={null}
        defaults={{
          ...(typeof doctype === 'string' && { webhook_doctype: doctype }),
          ...(typeof url === 'string' && { request_url: url }),
        }}
        onSaved={setSaved}
      />
      {saved && (
        <SecretDialog
          title={t('Webhook secret')}
          onClose={() => go(paths.webhook(saved.doc.name), { isReplacing: true })}
        >
          <SecretLine text={String(saved.doc['secret'] ?? '')} />
        </SecretDialog>
      )}
    </Page>
  );
}
