import { t } from '../../base/i18n.ts';
import { PathLink, useRouteParams } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { usePart } from '../../base/use-part.ts';
import { useBoot } from '../../data/boot.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Page } from '../../widgets/page.tsx';
import { type Part, partsFor } from './parts.ts';
import css from './system.module.css';

/** The state of the server, its settings and its logs. */
export function Screen() {
  const { part: stated } = useRouteParams();
  const parts = partsFor(useBoot());
  const part = stated === undefined ? parts[0] : parts.find(({ id }) => id === stated);
  return (
    <Page title={part && stated !== undefined ? part.label : t('System')} trail={trailOf(stated)}>
      {parts.length > 1 && <PartLinks parts={parts} current={part?.id} />}
      {part ? (
        <PartContent key={part.id} part={part} />
      ) : (
        <EmptyState icon="lock" title={t('Not permitted')}>
          {t('This part is for System Managers.')}
        </EmptyState>
      )}
    </Page>
  );
}

function trailOf(stated: string | undefined) {
  return stated === undefined ? [] : [{ label: t('System'), path: paths.system() }];
}

function PartLinks({ parts, current }: { readonly parts: readonly Part[]; readonly current?: string }) {
  return (
    <nav className={css['parts']} aria-label={t('Parts of the system')}>
      {parts.map(({ id, label }) => (
        <PathLink key={id} to={paths.system(id)} aria-current={id === current ? 'page' : undefined}>
          {label}
        </PathLink>
      ))}
    </nav>
  );
}

function PartContent({ part }: { readonly part: Part }) {
  const Content = usePart(true, part.load);
  return Content ? <Content /> : <Skeleton height={320} />;
}
