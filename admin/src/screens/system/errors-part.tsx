import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useSearch, useSetSearch } from '../../base/navigation.tsx';
import { type ServerError, systemQuery } from '../../data/system.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { SearchBox } from '../../widgets/search-box.tsx';
import { ErrorDrawer } from './error-drawer.tsx';
import { ErrorTable } from './error-table.tsx';

interface Errors {
  readonly host: string;
  readonly errors: readonly ServerError[];
}

/** Recent errors of this server, also by the request id that a client saw. */
export function ErrorsPart() {
  const stated = useSearch((search) => search['request']);
  const id = typeof stated === 'string' ? stated : '';
  const setSearch = useSetSearch();
  const [opened, setOpened] = useState<ServerError | null>(null);
  const { data, error, refetch } = useQuery(
    systemQuery<Errors>('errors', id === '' ? {} : { request_id: id }),
  );
  return (
    <Stack gap={3}>
      <Row isApart>
        <SearchBox
          label={t('Find by request ID')}
          placeholder={t('Paste a request ID')}
          value={id}
          onChange={(text) => setSearch({ request: idIn(text) || undefined })}
        />
        {data && (
          <Muted isSmall>
            {t('The last 200 errors of each process of {host}, since it started', { host: data.host })}
          </Muted>
        )}
      </Row>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={320} />}
      {data?.errors.length === 0 && <NoErrors id={id} />}
      {data && data.errors.length > 0 && <ErrorTable errors={data.errors} onOpen={setOpened} />}
      <ErrorDrawer error={opened} onClose={() => setOpened(null)} />
    </Stack>
  );
}

// What error messages show is "Request" and the ID.
function idIn(text: string): string {
  return text.trim().split(/\s+/).at(-1) ?? '';
}

function NoErrors({ id }: { readonly id: string }) {
  if (id === '')
    return (
      <EmptyState icon="check" title={t('No errors')}>
        {t('Failed requests, deliveries and jobs appear here.')}
      </EmptyState>
    );
  return (
    <EmptyState icon="search" title={t('No error of this request')}>
      {t(
        'It was no server error, or it is older than the start of the server or its last 200 errors. Search the log for the ID.',
      )}
    </EmptyState>
  );
}
