import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDatetime } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { readMethod } from '../../data/api.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Badge, Skeleton } from '../../widgets/feedback.tsx';
import { Card, Muted, Row, Stack } from '../../widgets/layout.tsx';
import { DisableDialog, EnableDialog, NewCodesDialog } from './second-factor-dialogs.tsx';

const METHOD = 'chancery.auth.second_factor';

interface State {
  readonly enabled: unknown;
  readonly since?: string | null;
}

/** Enables or disables the second factor. */
export function SecondFactor() {
  const { data, error, refetch } = useQuery({
    queryKey: keys.method(METHOD),
    queryFn: ({ signal }) => readMethod<State>(METHOD, {}, { signal }),
  });
  const [dialog, setDialog] = useState<'on' | 'off' | 'codes' | null>(null);
  const close = () => {
    setDialog(null);
    void refetch();
  };
  const isOn = Boolean(data?.enabled);
  return (
    <Card label={t('Second factor')}>
      <Stack gap={3}>
        <Row isApart>
          <Row>
            <h2>{t('Second factor')}</h2>
            {data && <Badge tone={isOn ? 'success' : 'neutral'}>{isOn ? t('On') : t('Off')}</Badge>}
          </Row>
          {data && !isOn && (
            <Button icon="lock" onClick={() => setDialog('on')}>
              {t('Set up…')}
            </Button>
          )}
          {isOn && (
            <Row>
              <Button onClick={() => setDialog('codes')}>{t('New recovery codes…')}</Button>
              <Button onClick={() => setDialog('off')}>{t('Turn off…')}</Button>
            </Row>
          )}
        </Row>
        {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton height={20} />}
        <Muted>
          {isOn && data?.since
            ? t('On since {time}. Sign-in requires a code from your authenticator app.', {
                time: formatDatetime(data.since),
              })
            : t('An authenticator app protects your account if your password leaks.')}
        </Muted>
      </Stack>
      {dialog === 'on' && <EnableDialog onClose={close} />}
      {dialog === 'off' && <DisableDialog onClose={close} />}
      {dialog === 'codes' && <NewCodesDialog onClose={close} />}
    </Card>
  );
}
