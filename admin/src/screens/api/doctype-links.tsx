import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { isOwn } from '../../base/opened.ts';
import { paths } from '../../base/paths.ts';
import { type BootDoctype, useBoot } from '../../data/boot.ts';
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
    .toSorted((a, b) => a.name.localeCompare(b.name));
  const groups = [
    { title: t('Application doctypes'), some: found.filter(isOwn) },
    { title: t('System doctypes'), some: found.filter((one) => !isOwn(one)) },
  ].filter(({ some }) => some.length > 0);
  if (groups.length === 0)
    return (
      <Card label={t('Doctypes')}>
        <Muted>{t('Nothing found')}</Muted>
      </Card>
    );
  return (
    <Stack>
      {groups.map(({ title, some }) => (
        <Card key={title} label={title}>
          <Stack gap={2}>
            <h2>{title}</h2>
            <Links doc={doc} doctypes={some} />
          </Stack>
        </Card>
      ))}
    </Stack>
  );
}

function Links({
  doc,
  doctypes,
}: {
  readonly doc: OpenApi | undefined;
  readonly doctypes: readonly BootDoctype[];
}) {
  const more = doctypes.length - MOST;
  return (
    <>
      <ul className={css['links']}>
        {doctypes.slice(0, MOST).map((doctype) => (
          <li key={doctype.name}>
            <PathLink to={paths.apiDoctype(doctype.name)}>{t(doctype.name)}</PathLink>
            <Muted isSmall>{doc && allowedText(callsOf(doc, doctype))}</Muted>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Muted>{tn(more, '{count} more. Search to find it', '{count} more. Search to find them')}</Muted>
      )}
    </>
  );
}
