import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { PathLink, useRouteParams, useSearch, useSetSearch } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { recordTrail } from '../../meta/doctype-trail.ts';
import { pluralOf } from '../../meta/nouns.ts';
import { may } from '../../meta/permissions.ts';
import { Stack } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import { NotPermitted } from '../../widgets/screen-problem.tsx';
import { FileStep } from './file-step.tsx';
import { newSetup, type Setup, setupOf } from './import-data.ts';
import { DATA_LOAD, loadQuery } from './load-data.ts';
import { LoadPart } from './load-part.tsx';
import { SetupSteps } from './setup-steps.tsx';

/** Imports a file into a doctype: its columns, a check, the import, and the report. */
export function Screen() {
  const { doctype = '' } = useRouteParams();
  return may(doctype, 'import') ? <Wizard key={doctype} doctype={doctype} /> : <NotPermitted />;
}

function Wizard({ doctype }: { readonly doctype: string }) {
  const load = useSearch((search) => textOf(search['load']));
  const setSearch = useSetSearch();
  const [setup, setSetup] = useSetup(doctype);
  const [begun, setBegun] = useState('');
  return (
    <Page
      title={t('Import {records}', { records: pluralOf(doctype) })}
      trail={recordTrail(doctype)}
      actions={
        may(DATA_LOAD, 'read') && (
          <PathLink to={paths.list(DATA_LOAD, { filters: [['reference_doctype', '=', doctype]] })}>
            {t('Earlier imports')}
          </PathLink>
        )
      }
    >
      <Stack>
        {load === '' ? (
          <>
            <FileStep
              file={setup?.file ?? null}
              onFile={(file) => setSetup({ ...newSetup(doctype, file), ...(setup && kept(setup)) })}
            />
            {setup && (
              <SetupSteps
                key={setup.file.url}
                {...{ doctype, setup }}
                onSetup={setSetup}
                onStarted={(name) => {
                  setBegun(name);
                  setSearch({ load: name, from: undefined }, { isReplacing: false });
                }}
              />
            )}
          </>
        ) : (
          <LoadPart
            key={load}
            name={load}
            isNew={load === begun}
            onChange={() => setSearch({ load: undefined, from: load }, { isReplacing: false })}
          />
        )}
      </Stack>
    </Page>
  );
}

/** The choices; after a reload, or for an earlier import, those of the load that the address names. */
function useSetup(doctype: string) {
  const from = useSearch((search) => textOf(search['from']));
  const [setup, setSetup] = useState<Setup | null>(null);
  const former = useQuery({ ...loadQuery(from), enabled: from !== '' && setup === null }).data;
  const isOfThis = former?.doctype === doctype && former.file !== '';
  return [setup ?? (isOfThis ? setupOf(former) : null), setSetup] as const;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What holds for a corrected file too. */
function kept({ mode, keyField, onError, skipHooks, skipWebhooks }: Setup): Partial<Setup> {
  return { mode, keyField, onError, skipHooks, skipWebhooks };
}
