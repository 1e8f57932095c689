import type { ReactNode } from 'react';
import { t } from '../../../base/i18n.ts';
import { isNothing } from '../../../grid/list-selection.ts';
import { Checkbox } from '../../../widgets/checks.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { SegmentedControl } from '../../../widgets/segmented-control.tsx';
import { describeCondition } from '../describe-condition.ts';
import { fieldOf } from '../filter-fields.ts';
import type { RecordListState } from '../use-record-list.ts';
import type { ExportOptions } from './export-bytes.ts';
import css from './export-dialog.module.css';

/** The user's choices, besides the columns. */
export interface ExportSetup extends Omit<ExportOptions, 'columns'> {
  /** Only the selected records, if any are selected. */
  readonly isOfSelection: boolean;
}

interface ExportSettingsProps {
  readonly list: RecordListState;
  readonly setup: ExportSetup;
  /** True if columns of child rows are chosen. */
  readonly hasRows: boolean;
  readonly onChange: (setup: ExportSetup) => void;
}

/** Which records an export holds, and how its file is written. */
export function ExportSettings({ list, setup, hasRows, onChange }: ExportSettingsProps) {
  const { format, isOfSelection } = setup;
  const change = (some: Partial<ExportSetup>) => onChange({ ...setup, ...some });
  return (
    <div className={css['part']}>
      {isNothing(list.selection) ? (
        <Conditions list={list} />
      ) : (
        <Choice label={t('Records')}>
          <SegmentedControl
            label={t('Records')}
            value={isOfSelection ? 'selected' : 'all'}
            onChange={(next) => change({ isOfSelection: next === 'selected' })}
            choices={[
              { value: 'selected', label: t('Selected') },
              { value: 'all', label: t('All matching') },
            ]}
          />
        </Choice>
      )}
      <Choice label={t('Format')}>
        <SegmentedControl
          label={t('Format')}
          value={format}
          onChange={(next) => change({ format: next })}
          choices={[
            { value: 'csv', label: 'CSV' },
            { value: 'xlsx', label: 'Excel' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </Choice>
      {hasRows && format === 'json' && (
        <Choice label={t('Child rows')}>
          <SegmentedControl
            label={t('Child rows')}
            value={setup.isNested ? 'nested' : 'flat'}
            onChange={(next) => change({ isNested: next === 'nested' })}
            choices={[
              { value: 'nested', label: t('Nested') },
              { value: 'flat', label: t('One object each') },
            ]}
          />
        </Choice>
      )}
      {hasRows && format !== 'json' && (
        <Muted isSmall>{t('Each child row is a line, which repeats the fields of its record.')}</Muted>
      )}
      <Switches setup={setup} onChange={change} />
    </div>
  );
}

function Switches({
  setup,
  onChange,
}: {
  readonly setup: ExportSetup;
  readonly onChange: (some: Partial<ExportSetup>) => void;
}) {
  const { format } = setup;
  return (
    <>
      {format !== 'json' && (
        <Checkbox
          label={t('Labels as column heads')}
          description={t('Otherwise field names, as an import needs them.')}
          isOn={setup.hasLabels}
          onChange={(hasLabels) => onChange({ hasLabels })}
        />
      )}
      <Checkbox
        label={t('Titles of linked records')}
        description={t('Otherwise their names, as an import needs them.')}
        isOn={setup.hasTitles}
        onChange={(hasTitles) => onChange({ hasTitles })}
      />
      {format === 'csv' && (
        <Checkbox
          label={t('Escape formulas')}
          description={t('Puts an apostrophe before text that starts with =, +, - or @.')}
          isOn={setup.isGuarded}
          onChange={(isGuarded) => onChange({ isGuarded })}
        />
      )}
    </>
  );
}

/** The filters in force. */
function Conditions({ list }: { readonly list: RecordListState }) {
  const { filters, or, text } = list.state.search;
  const said = [
    ...(text === '' ? [] : [t('Contains “{text}”', { text })]),
    ...[...filters, ...or].map((one) => describeCondition(one, fieldOf(list.filterable, one))),
  ];
  return (
    <Choice label={t('Records')}>
      <span>{said.length === 0 ? t('All records') : said.join(' · ')}</span>
    </Choice>
  );
}

function Choice({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={css['choice']}>
      <span className={css['label']}>{label}</span>
      {children}
    </div>
  );
}
