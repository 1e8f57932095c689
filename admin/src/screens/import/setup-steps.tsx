import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { useTask } from '../../base/use-task.ts';
import { useUser } from '../../data/boot.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Alert, Spinner } from '../../widgets/feedback.tsx';
import { Row } from '../../widgets/layout.tsx';
import { ColumnTable } from './column-table.tsx';
import { chosenColumns, keyFieldOf, keyTargets } from './columns.ts';
import { FormChoicesPart } from './form-choices.tsx';
import { inspect, inspectArguments, type Setup, startImport } from './import-data.ts';
import { OptionsPart } from './options-part.tsx';
import { PreviewTable } from './preview-table.tsx';
import { Step } from './step.tsx';

interface SetupStepsProps {
  readonly doctype: string;
  readonly setup: Setup;
  readonly onSetup: (setup: Setup) => void;
  /** Called with the name of the Data Load. */
  readonly onStarted: (name: string) => void;
}

/** What the columns of the file fill, how it is read and stored, and its first rows. */
export function SetupSteps(props: SetupStepsProps) {
  const { doctype, setup, onSetup } = props;
  const args = inspectArguments(doctype, setup);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: keys.method('chancery.import.inspect', args),
    queryFn: ({ signal }) => inspect(args, signal),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data && error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Spinner label={t('Reading the file…')} />;
  const columns = chosenColumns(data, setup.mapping);
  const shown = { ...data, columns };
  const change = (some: Partial<Setup>) => onSetup({ ...setup, ...some });
  return (
    <>
      <Step title={t('2. Columns')}>
        {error && <ErrorPanel error={error} />}
        <FormChoicesPart
          inspection={data}
          // Other heads make other columns.
          onChange={(some, isSame) =>
            change({
              choices: { ...setup.choices, ...some },
              ...(isSame ? {} : { mapping: {} }),
            })
          }
        />
        <ColumnTable
          inspection={shown}
          mapping={setup.mapping}
          onMapping={(mapping) => change({ mapping })}
        />
        <OptionsPart {...{ doctype, setup, inspection: shown, onChange: change }} />
      </Step>
      <Step title={t('3. Preview')}>
        <PreviewTable inspection={shown} />
      </Step>
      <StartStep {...props} inspection={shown} isReady={!isFetching && !error} />
    </>
  );
}

function StartStep({
  doctype,
  setup,
  onStarted,
  inspection,
  isReady,
}: SetupStepsProps & {
  readonly inspection: Parameters<typeof startImport>[2] & Parameters<typeof PreviewTable>[0]['inspection'];
  readonly isReady: boolean;
}) {
  const user = useUser();
  const { isBusy, error, run } = useTask();
  const { columns, targets } = inspection;
  const keyField = keyFieldOf(setup, keyTargets(columns, targets));
  const isEmpty = columns.every(({ target }) => target === null);
  const hasKey = setup.mode === 'Insert' || keyField !== null;
  const start = (isCheck: boolean) =>
    void run(async () =>
      onStarted(await startImport(doctype, { ...setup, keyField }, inspection, user, isCheck)),
    );
  return (
    <Step title={t('4. Check and import')}>
      <span>{t('A check reads the whole file and lists what is wrong. It stores nothing.')}</span>
      {isEmpty && (
        <Alert tone="warning">{t('No column fills a field. Choose a field for at least one.')}</Alert>
      )}
      {!isEmpty && !hasKey && (
        <Alert tone="warning">
          {t('No column fills the name or a unique field, which finds the records to update.')}
        </Alert>
      )}
      {error !== null && <ErrorPanel error={error} />}
      <Row>
        <Button
          kind="primary"
          icon="check"
          isBusy={isBusy}
          disabled={!isReady || isEmpty || !hasKey}
          onClick={() => start(true)}
        >
          {t('Check the file')}
        </Button>
        <Button disabled={isBusy || !isReady || isEmpty || !hasKey} onClick={() => start(false)}>
          {t('Import without a check')}
        </Button>
      </Row>
    </Step>
  );
}
