import { useQuery } from '@tanstack/react-query';
import { t, tn } from '../../base/i18n.ts';
import { type IndexBuild, systemQuery } from '../../data/system.ts';
import { Progress } from '../../widgets/feedback.tsx';
import { Muted, Stack } from '../../widgets/layout.tsx';

/** The indexes that are not ready, with the progress of their builds. Nothing when all are ready. */
export function IndexBuilds() {
  const { data } = useQuery(systemQuery<readonly IndexBuild[]>('index_builds'));
  if (!data || data.length === 0) return null;
  return (
    <section aria-label={t('Indexes being built')}>
      <Stack gap={2}>
        {data.map((build) => (
          <Build key={JSON.stringify([build.doctype, build.fields])} build={build} />
        ))}
      </Stack>
    </section>
  );
}

function Build({ build }: { readonly build: IndexBuild }) {
  const title = t('Index on {fields} of {doctype}', {
    fields: build.fields.join(', '),
    doctype: t(build.doctype),
  });
  return (
    <Stack gap={1}>
      <bdi>{title}</bdi>
      {build.percent !== null && <Progress label={title} value={build.percent} />}
      <Muted isSmall>{stateWords(build)}</Muted>
    </Stack>
  );
}

function stateWords({ state, waits_for: waitsFor, phase }: IndexBuild): string {
  if (state === 'waiting') return t('Waits for its turn');
  if (state === 'interrupted') return t('The build was interrupted. It begins again.');
  if (waitsFor !== null && waitsFor > 0)
    return tn(
      waitsFor,
      'Waits for {count} transaction that began earlier',
      'Waits for {count} transactions that began earlier',
    );
  return t('PostgreSQL: {phase}', { phase: phase ?? '' });
}
