import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { useBoot } from '../../data/boot.ts';
import { Card, Muted, Stack } from '../../widgets/layout.tsx';
import css from './api.module.css';
import { allowedText, callsOf } from './doctype-calls.ts';
import type { OpenApi } from './openapi.ts';

const MOST = 100;

/** The doctypes that the user may read, each with the calls that the user may make. */
export function DoctypeLinks({ doc, text }: { readonly doc: OpenApi | undefined; readonly text: string }) {
  const { doctypes } = useBoot();
  const wanted = text.toLowerCase();
  const found = [...doctypes.values()]
    .filter(({ name, istable }) => !istable && `${name} ${t(name)}`.toLowerCase().includes(wanted))
    .toSorted(
      (a, b) => Number(a.module === 'Core') - Number(b.module === 'Core') || a.name.localeCompare(b.name),
    );
  return (
    <Card label={t('Doctypes')}>
      <Stack gap={2}>
        <h2>{t('Doctypes')}</h2>
        {found.length === 0 && <Muted>{t('Nothing found')}</Muted>}
        <ul className={css['links']}>
          {found.slice(0, MOST).map((doctype) => (
            <li key={doctype.name}>
              <PathLink to={paths.apiDoctype(doctype.name)}>{t(doctype.name)}</PathLink>
              <Muted isSmall>{doc && allowedText(callsOf(doc, doctype))}</Muted>
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
