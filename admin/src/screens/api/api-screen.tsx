import { useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { SearchBox } from '../../widgets/search-box.tsx';
import css from './api.module.css';
import { DoctypeLinks } from './doctype-links.tsx';
import { DownloadLink } from './download-link.tsx';
import { MethodLinks } from './method-links.tsx';
import { MethodPanel } from './method-panel.tsx';
import { openApiQuery } from './openapi.ts';
import { StartCard } from './start-card.tsx';

/** The API reference: how to begin, doctypes and methods; with `?method=`, one method. */
export function Screen() {
  const { method, text } = useSearch(readSearch);
  const setSearch = useSetSearch();
  const { data, error, refetch } = useQuery(openApiQuery());
  if (method !== '') {
    return (
      <Page title={method} trail={[{ label: t('API'), path: paths.api() }]}>
        {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
        {data ? <MethodPanel key={method} doc={data} method={method} /> : !error && <Skeleton height={320} />}
      </Page>
    );
  }
  return (
    <Page title={t('API')} actions={<DownloadLink />}>
      <StartCard />
      <div className={css['search']}>
        <SearchBox
          scope="list"
          label={t('Search doctypes and methods')}
          placeholder={t('Search doctypes and methods')}
          value={text}
          onChange={(next) => setSearch({ q: next || undefined })}
        />
      </div>
      <div className={css['columns']}>
        <DoctypeLinks doc={data} text={text} />
        <Stack>
          {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
          {data ? <MethodLinks doc={data} text={text} /> : !error && <Skeleton height={320} />}
        </Stack>
      </div>
    </Page>
  );
}

function readSearch(search: Readonly<Record<string, unknown>>): { method: string; text: string } {
  const text = (key: string) => (search[key] === undefined ? '' : String(search[key]));
  return { method: text('method'), text: text('q') };
}
