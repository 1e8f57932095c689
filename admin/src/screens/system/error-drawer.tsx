import { formatDatetime } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { ServerError } from '../../data/system.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Drawer } from '../../widgets/dialogs.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import css from './system.module.css';

/** An error with its request and its stack. */
export function ErrorDrawer({
  error,
  onClose,
}: {
  readonly error: ServerError | null;
  readonly onClose: () => void;
}) {
  return (
    <Drawer isOpen={error !== null} onClose={onClose} title={t('Error')} width={720}>
      {error && <Details error={error} />}
    </Drawer>
  );
}

function Details({ error }: { readonly error: ServerError }) {
  const { time, request_id: id, method, path, user, kind, where, message, stack } = error;
  return (
    <Stack gap={4}>
      <pre className={css['code']}>{message}</pre>
      <dl className={css['details']}>
        <dt>{t('Time')}</dt>
        <dd>{formatDatetime(time, 'full')}</dd>
        {id && (
          <>
            <dt>{t('Request ID')}</dt>
            <dd>
              <Row>
                <code dir="ltr">{id}</code>
                <CopyButton text={id} label={t('Copy the request ID')} />
              </Row>
            </dd>
          </>
        )}
        {path && (
          <>
            <dt>{t('Request')}</dt>
            <dd>
              <code dir="ltr">{`${method} ${path}`}</code>
            </dd>
          </>
        )}
        {user && (
          <>
            <dt>{t('User')}</dt>
            <dd>
              <bdi>{user}</bdi>
            </dd>
          </>
        )}
        {kind === 'delivery' && where && (
          <>
            <dt>{t('Delivery')}</dt>
            <dd>
              <PathLink to={paths.deliveries({ delivery: where })}>{where}</PathLink>
            </dd>
          </>
        )}
      </dl>
      {stack && (
        <Stack gap={2}>
          <h3>{t('Stack')}</h3>
          <pre className={css['code']}>{stack}</pre>
        </Stack>
      )}
    </Stack>
  );
}
