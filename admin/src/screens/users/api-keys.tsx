import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { SecretDialog } from '../../widgets/secret-dialog.tsx';
import { SecretLine } from '../../widgets/secret-line.tsx';
import { type KeyAction, KeyActionDialog } from './key-actions.tsx';
import { type ApiKey, keysQuery, type NewSecret, refreshKeys } from './key-data.ts';
import { KeyForm } from './key-form.tsx';
import { KeyTable } from './key-table.tsx';

/** The API keys of a user. Users see their own, System Managers those of everyone. */
export function ApiKeys({ user }: { readonly user: string }) {
  const { data, error, refetch } = useQuery(keysQuery(user));
  const [form, setForm] = useState<'new' | ApiKey | null>(null);
  const [action, setAction] = useState<KeyAction | null>(null);
  const [secret, setSecret] = useState<NewSecret | null>(null);
  const show = (made: NewSecret) => {
    setSecret(made);
    void refreshKeys();
  };
  return (
    <Stack gap={3}>
      <Row isApart>
        <Stack gap={1}>
          <h2>{t('API keys')}</h2>
          <Muted isSmall>
            {t('Create one key per program. A key never grants more rights than its user has.')}
          </Muted>
        </Stack>
        <Button icon="plus" onClick={() => setForm('new')}>
          {t('New key')}
        </Button>
      </Row>
      {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={96} />}
      {data?.length === 0 && (
        <EmptyState icon="key" title={t('No API keys yet')}>
          {t('Programs use an API key instead of a password and a session.')}
        </EmptyState>
      )}
      {data && data.length > 0 && <KeyTable rows={data} onEdit={setForm} onAct={setAction} />}
      {form !== null && (
        <KeyForm user={user} of={form === 'new' ? null : form} onClose={() => setForm(null)} onMade={show} />
      )}
      {action && <KeyActionDialog action={action} onClose={() => setAction(null)} onRotated={show} />}
      {secret && <KeySecret secret={secret} onClose={() => setSecret(null)} />}
    </Stack>
  );
}

function KeySecret({ secret, onClose }: { readonly secret: NewSecret; readonly onClose: () => void }) {
  const header = `Authorization: token ${secret.apiKey}:${secret.secret}`;
  const example = `curl -H '${header}' ${location.origin}/api/method/frappe.auth.get_logged_user`;
  return (
    <SecretDialog title={t('The key and its secret')} onClose={onClose}>
      <SecretLine label={t('Key')} text={secret.apiKey} />
      <SecretLine label={t('Secret')} text={secret.secret} />
      <SecretLine label={t('Header')} text={header} />
      <SecretLine label={t('Try it')} text={example} />
    </SecretDialog>
  );
}
