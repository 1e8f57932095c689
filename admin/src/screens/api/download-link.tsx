import { t } from '../../base/i18n.ts';
import { addressOf } from '../../data/wire.ts';
import { Icon } from '../../widgets/icon.tsx';
import css from './api.module.css';
import { OPENAPI } from './openapi.ts';

/** Downloads the OpenAPI document, of one doctype or of everything that the user may use. */
export function DownloadLink({ doctype }: { readonly doctype?: string }) {
  const file = doctype === undefined ? 'openapi.json' : `openapi-${doctype}.json`;
  return (
    <a
      className={css['download']}
      href={addressOf(OPENAPI, doctype === undefined ? {} : { doctype })}
      download={file}
    >
      <Icon name="download" />
      {t('Download OpenAPI')}
    </a>
  );
}
