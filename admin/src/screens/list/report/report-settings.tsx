import { useState } from 'react';
import { t } from '../../../base/i18n.ts';
import {
  type Group,
  MOST_GROUPS,
  MOST_MEASURES,
  PERIODS,
  type Period,
  type Report,
} from '../../../charts/report/report.ts';
import { periodChoice } from '../../../charts/report/report-words.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { Button, IconButton } from '../../../widgets/button.tsx';
import { Checkbox } from '../../../widgets/checks.tsx';
import { type Choice, Select } from '../../../widgets/select.tsx';
import { groupBy, groupChoices, measureChoices, measureKey, measureOfKey } from './report-choices.ts';
import css from './report-view.module.css';

export interface ReportSettingsProps {
  readonly meta: Meta;
  readonly fields: readonly Field[];
  readonly report: Report;
  readonly onChange: (changes: Partial<Report>) => void;
}

/** What a report groups by, and the figures of each group. */
export function ReportSettings({ meta, fields, report, onChange }: ReportSettingsProps) {
  return (
    <div className={css['settings']}>
      <fieldset className={css['part']}>
        <legend>{t('Group by')}</legend>
        <Groups {...{ meta, fields, report, onChange }} />
      </fieldset>
      <fieldset className={css['part']}>
        <legend>{t('Show')}</legend>
        <Measures {...{ meta, fields, report, onChange }} />
      </fieldset>
    </div>
  );
}

function Groups({ fields, report: { groups, isPivot }, onChange }: ReportSettingsProps) {
  const choices = groupChoices(fields);
  const free = choices.filter(({ value }) => groups.every((one) => one.field !== value));
  // Time and options have their own order. Other groups start with the largest.
  const set = (next: readonly Group[]) => {
    const [first] = next;
    const isSame = first?.field === groups[0]?.field;
    const hasOrder =
      first?.by || fields.some((one) => one.fieldname === first?.field && one.fieldtype === 'Select');
    const sort: Report['sort'] = hasOrder
      ? { by: 'group', isDescending: false }
      : { by: 0, isDescending: true };
    onChange({ groups: next, isPivot: isPivot && next.length === 2, ...(isSame ? {} : { sort }) });
  };
  return (
    <>
      {groups.map((group, at) => (
        <GroupItem
          key={group.field}
          group={group}
          label={labelOfGroup(at)}
          choices={choices.filter((one) => one.value === group.field || free.includes(one))}
          onField={(name) => set(groups.map((one) => (one === group ? groupBy(fields, name) : one)))}
          onPeriod={(by) => set(groups.map((one) => (one === group ? { ...one, by } : one)))}
          onRemove={() => set(groups.filter((one) => one !== group))}
        />
      ))}
      {groups.length < MOST_GROUPS && free.length > 0 && (
        <Adder
          text={groups.length === 0 ? t('Add a group') : t('Then by…')}
          label={labelOfGroup(groups.length)}
          choices={free}
          onAdd={(name) => set([...groups, groupBy(fields, name)])}
        />
      )}
      {groups.length === 2 && (
        <Checkbox label={t('As columns')} isOn={isPivot} onChange={(isOn) => onChange({ isPivot: isOn })} />
      )}
    </>
  );
}

function labelOfGroup(at: number): string {
  return at === 0 ? t('Group by') : t('Then by');
}

function GroupItem({
  group,
  label,
  choices,
  onField,
  onPeriod,
  onRemove,
}: {
  readonly group: Group;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly onField: (name: string) => void;
  readonly onPeriod: (by: Period | null) => void;
  readonly onRemove: () => void;
}) {
  return (
    <span className={css['item']}>
      <Select
        aria-label={label}
        value={group.field}
        choices={choices}
        onChange={(name) => name && onField(name)}
      />
      {group.by !== null && (
        <Select
          aria-label={t('Period')}
          className={css['period']}
          value={group.by}
          choices={PERIODS.map((period) => ({ value: period, label: periodChoice(period) }))}
          onChange={(by) => onPeriod(PERIODS.find((one) => one === by) ?? null)}
        />
      )}
      <IconButton isSmall icon="close" label={t('Remove the group')} onClick={onRemove} />
    </span>
  );
}

function Measures({ meta, fields, report, onChange }: ReportSettingsProps) {
  const { measures, sort } = report;
  const choices = measureChoices(meta, fields);
  const used = measures.map(measureKey);
  const free = choices.filter(({ value }) => !used.includes(value));
  return (
    <>
      {measures.map((measure, at) => (
        <span key={measureKey(measure)} className={css['item']}>
          <Select
            aria-label={t('Value {number}', { number: at + 1 })}
            value={measureKey(measure)}
            choices={choices.filter((one) => one.value === measureKey(measure) || free.includes(one))}
            onChange={(key) =>
              key &&
              onChange({ measures: measures.map((one) => (one === measure ? measureOfKey(key) : one)) })
            }
          />
          {measures.length > 1 && (
            <IconButton
              isSmall
              icon="close"
              label={t('Remove the value')}
              onClick={() =>
                onChange({
                  measures: measures.filter((one) => one !== measure),
                  ...(typeof sort.by === 'number' && sort.by >= at ? { sort: { ...sort, by: 'group' } } : {}),
                })
              }
            />
          )}
        </span>
      ))}
      {measures.length < MOST_MEASURES && free.length > 0 && (
        <Adder
          text={t('Add a value')}
          label={t('Value {number}', { number: measures.length + 1 })}
          choices={free}
          onAdd={(key) => onChange({ measures: [...measures, measureOfKey(key)] })}
        />
      )}
    </>
  );
}

/** A button, then a choice without a value: nothing is added before the user chooses. */
function Adder({
  text,
  label,
  choices,
  onAdd,
}: {
  readonly text: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly onAdd: (value: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <Button kind="quiet" icon="plus" onClick={() => setOpen(true)}>
        {text}
      </Button>
    );
  return (
    <span className={css['item']}>
      <Select
        aria-label={label}
        value={null}
        choices={choices}
        placeholder={t('Choose a field')}
        autoFocus
        onChange={(value) => {
          setOpen(false);
          if (value) onAdd(value);
        }}
      />
      <IconButton isSmall icon="close" label={t('Cancel')} onClick={() => setOpen(false)} />
    </span>
  );
}
