import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { type KeyAction, KeyActionDialog } from './key-actions.tsx';
import { type ApiKey, keysQuery, type NewSecret, refreshKeys } from './key-data.ts';
import { KeyForm } from './key-form.tsx';
import { KeySecret } from './key-secret.tsx';
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
            {t('Create one key per program. A key never grants more rights than its user has.')}{' '}
            <PathLink to={paths.api()}>{t('API reference')}</PathLink>
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
