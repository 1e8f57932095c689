import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { Card, Muted, Stack } from '../../widgets/layout.tsx';
import css from './api.module.css';
import { Described } from './described.tsx';
import { methodsOf } from './methods.ts';
import type { OpenApi } from './openapi.ts';

const MOST = 60;

/** The methods that the user may call. */
export function MethodLinks({ doc, text }: { readonly doc: OpenApi; readonly text: string }) {
  const wanted = text.toLowerCase();
  const found = methodsOf(doc).filter(({ name, summary }) =>
    `${name} ${summary}`.toLowerCase().includes(wanted),
  );
  return (
    <Card label={t('Methods')}>
      <Stack gap={2}>
        <h2>{t('Methods')}</h2>
        {found.length === 0 && <Muted>{t('Nothing found')}</Muted>}
        <ul className={css['links']}>
          {found.slice(0, MOST).map(({ name, summary }) => (
            <li key={name}>
              <PathLink to={paths.api({ method: name })}>
                <bdi>{name}</bdi>
              </PathLink>
              <Muted isSmall>
                <Described text={summary} />
              </Muted>
            </li>
          ))}
        </ul>
        {found.length > MOST && (
          <Muted>
            {tn(found.length - MOST, '{count} more. Search to find it', '{count} more. Search to find them')}
          </Muted>
        )}
      </Stack>
    </Card>
  );
}
