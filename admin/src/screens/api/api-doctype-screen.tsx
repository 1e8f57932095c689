import { useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { PathLink, useRouteParams, useSearch, useSetSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { type BootDoctype, useBoot, useUser } from '../../data/boot.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { Tabs } from '../../widgets/tabs.tsx';
import { CallsPart } from './calls-part.tsx';
import { allowedText, callsOf, type DoctypeCall } from './doctype-calls.ts';
import { DownloadLink } from './download-link.tsx';
import { EventsPart } from './events-part.tsx';
import { FieldsPart } from './fields-part.tsx';
import { type OpenApi, openApiQuery } from './openapi.ts';
import { fieldsOf } from './operations.ts';

/** The API of one doctype: calls, fields and webhook events. */
export function Screen() {
  const { doctype: name = '' } = useRouteParams();
  const { doctypes } = useBoot();
  const doctype = doctypes.get(name);
  const { data, error, refetch } = useQuery({ ...openApiQuery(name), enabled: doctype !== undefined });
  const calls = doctype && data && callsOf(data, doctype);
  return (
    <Page
      title={t('{doctype} API', { doctype: t(name) })}
      trail={[{ label: t('API'), path: paths.api() }]}
      beside={calls && <Allowed doctype={name} calls={calls} />}
      actions={<DownloadLink doctype={name} />}
    >
      {!doctype && <EmptyState icon="lock" title={t('Not found, or not permitted')} />}
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {doctype && !data && !error && <Skeleton height={420} />}
      {calls && <Parts key={name} doc={data} doctype={doctype} calls={calls} />}
    </Page>
  );
}

function Allowed({ doctype, calls }: { readonly doctype: string; readonly calls: readonly DoctypeCall[] }) {
  const { name: user } = useUser();
  return (
    <Muted isSmall>
      <span>{t('You can: {calls}', { calls: allowedText(calls) })}</span>{' '}
      <PathLink to={paths.permissions({ tab: 'why', user, doctype })}>{t('Why?')}</PathLink>
    </Muted>
  );
}

function readTab(search: Readonly<Record<string, unknown>>): string {
  const tab = search['tab'];
  return tab === 'fields' || tab === 'events' ? tab : 'calls';
}

interface PartsProps {
  readonly doc: OpenApi;
  readonly doctype: BootDoctype;
  readonly calls: readonly DoctypeCall[];
}

function Parts({ doc, doctype, calls }: PartsProps) {
  const tab = useSearch(readTab);
  const setSearch = useSetSearch();
  const create = calls.find(({ id }) => id === 'create' || id === 'update')?.operation?.body ?? null;
  return (
    <Tabs
      label={t('{doctype} API', { doctype: t(doctype.name) })}
      value={tab}
      onChange={(next) => setSearch({ tab: next === 'calls' ? undefined : next })}
      tabs={[
        { id: 'calls', label: t('Calls'), content: <CallsPart doc={doc} doctype={doctype} calls={calls} /> },
        {
          id: 'fields',
          label: t('Fields'),
          content: <FieldsPart label={t('Fields')} fields={fieldsOf(doc, doctype.name, create)} />,
        },
        { id: 'events', label: t('Webhook events'), content: <EventsPart doctype={doctype} /> },
      ]}
    />
  );
}
