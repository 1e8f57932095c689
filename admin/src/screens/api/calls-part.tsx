import { t } from '../../base/i18n.ts';
import { PathLink, useSearch, useSetSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { type BootDoctype, type RightName, useUser } from '../../data/boot.ts';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Icon } from '../../widgets/icon.tsx';
import css from './api.module.css';
import { type DoctypeCall, firstBody } from './doctype-calls.ts';
import type { OpenApi } from './openapi.ts';
import { OperationPanel } from './operation-panel.tsx';

interface CallsPartProps {
  readonly doc: OpenApi;
  readonly doctype: BootDoctype;
  readonly calls: readonly DoctypeCall[];
}

/** The calls of a doctype beside the one in use. Those without the right are shown, and locked. */
export function CallsPart({ doc, doctype, calls }: CallsPartProps) {
  const search = useSearch(readCall);
  const chosen =
    calls.find(({ id }) => id === search.call) ?? calls.find(({ operation }) => operation) ?? null;
  return (
    <div className={css['calls']}>
      <CallList calls={calls} chosen={chosen} />
      {chosen?.operation ? (
        <OperationPanel
          key={`${chosen.id} ${JSON.stringify(search.values)}`}
          operation={chosen.operation}
          doctype={doctype.issingle ? '' : doctype.name}
          first={{
            parameters: { ...singleOf(doctype), ...search.values },
            body: firstBody(doc, chosen.operation),
          }}
        />
      ) : (
        <Locked doctype={doctype.name} right={chosen?.right} />
      )}
    </div>
  );
}

function Locked({ doctype, right }: { readonly doctype: string; readonly right: RightName | undefined }) {
  const { name: user } = useUser();
  return (
    <EmptyState
      icon="lock"
      title={t('No right')}
      action={
        <PathLink to={paths.permissions({ tab: 'why', user, doctype, right })}>
          {t('Why can’t I do this?')}
        </PathLink>
      }
    >
      {t('Your roles do not allow this call. Ask a System Manager.')}
    </EmptyState>
  );
}

/** A single has only the document that has its name. */
function singleOf({ issingle, name }: BootDoctype): Readonly<Record<string, string>> {
  return issingle ? { name } : {};
}

function CallList({
  calls,
  chosen,
}: {
  readonly calls: readonly DoctypeCall[];
  readonly chosen: DoctypeCall | null;
}) {
  const setSearch = useSetSearch();
  return (
    <nav className={css['callList']} aria-label={t('Calls')}>
      {calls.map((call) => (
        <button
          key={call.id}
          type="button"
          aria-current={call === chosen ? 'true' : undefined}
          onClick={() => setSearch({ call: call.id, values: undefined })}
        >
          <span className={css['verb']} data-verb={call.operation?.verb}>
            {call.operation?.verb ?? <Icon name="lock" size={14} />}
          </span>
          <span>{call.label}</span>
          {!call.operation && <span className="visually-hidden">{t('No right')}</span>}
        </button>
      ))}
    </nav>
  );
}

/** The call in the address, and its parameters. */
function readCall(search: Readonly<Record<string, unknown>>) {
  const given = search['values'];
  const values =
    typeof given === 'object' && given !== null
      ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
      : {};
  return { call: search['call'] === undefined ? 'list' : String(search['call']), values };
}
