import { t } from '../../base/i18n.ts';
import { SecretDialog } from '../../widgets/secret-dialog.tsx';
import { SecretLine } from '../../widgets/secret-line.tsx';
import type { NewSecret } from './key-data.ts';

/** The secret of a new key, once, with a command that works. */
export function KeySecret({ secret, onClose }: { readonly secret: NewSecret; readonly onClose: () => void }) {
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
