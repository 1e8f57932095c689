import { KEY } from '../../base/api-call.ts';
import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Card, Muted, Row, Stack } from '../../widgets/layout.tsx';
import { CodeBlock } from './code-block.tsx';

/** The first call: an address, a key, and a line that works. */
export function StartCard() {
  const line = `curl ${location.origin}/api/method/frappe.auth.get_logged_user \\\n  -H 'Authorization: token ${KEY}'`;
  return (
    <Card>
      <Stack gap={3}>
        <Row isApart>
          <h2>{t('First call')}</h2>
          <CopyButton text={line} label={t('Copy code')} />
        </Row>
        <CodeBlock label={t('First call')} text={line} />
        <Muted>
          {t('Programs sign in with an API key. A key has the rights of its user.')}{' '}
          <PathLink to={paths.profile()}>{t('Create an API key')}</PathLink>
        </Muted>
      </Stack>
    </Card>
  );
}
