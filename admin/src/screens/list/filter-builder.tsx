import { type FormEvent, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { type Condition, isComplete, patternOf, shapeOf, withOperator } from '../../grid/list-filters.ts';
import { operatorsOf, wordOf } from '../../meta/operators.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { Row, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import css from './filter-builder.module.css';
import { emptyCondition, type FilterField, fieldOf, keyOf } from './filter-fields.ts';
import { FilterValue } from './filter-value.tsx';

/** Conditions during editing. */
interface Draft {
  readonly filters: readonly Condition[];
  readonly or: readonly Condition[];
}

export interface FilterBuilderProps extends Draft {
  readonly doctype: string;
  readonly fields: readonly FilterField[];
  readonly onApply: (draft: Draft) => void;
  readonly onClose: () => void;
}

/**
 * Edits the conditions of a list: those that must all match, and a block of which one must. Applies them
 * together.
 */
export function FilterBuilder({ doctype, fields, filters, or, onApply, onClose }: FilterBuilderProps) {
  const [draft, setDraft] = useState<Draft>({
    filters: filters.length + or.length === 0 ? [emptyCondition(fields)] : filters,
    or,
  });
  const apply = (event: FormEvent) => {
    event.preventDefault();
    onApply({ filters: finished(draft.filters), or: finished(draft.or) });
    onClose();
  };
  const block = (which: keyof Draft) => (
    <Conditions
      conditions={draft[which]}
      onChange={(next) => setDraft({ ...draft, [which]: next })}
      fields={fields}
      doctype={doctype}
    />
  );
  return (
    <form className={css['builder']} onSubmit={apply}>
      <fieldset className={css['block']}>
        <legend>{t('Match all')}</legend>
        {block('filters')}
      </fieldset>
      <fieldset className={css['block']}>
        <legend>{t('And match any')}</legend>
        {block('or')}
      </fieldset>
      <Row isApart>
        <Button kind="quiet" onClick={() => setDraft({ filters: [], or: [] })}>
          {t('Remove all')}
        </Button>
        <Row>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" type="submit">
            {t('Apply')}
          </Button>
        </Row>
      </Row>
    </form>
  );
}

function finished(conditions: readonly Condition[]): readonly Condition[] {
  return conditions
    .map((one) =>
      shapeOf(one.operator) === 'pattern' ? { ...one, value: patternOf(String(one.value ?? '')) } : one,
    )
    .filter(isComplete);
}

interface ConditionsProps {
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
  readonly fields: readonly FilterField[];
  readonly doctype: string;
}

function Conditions({ conditions, onChange, fields, doctype }: ConditionsProps) {
  const replace = (at: number, next: Condition | null) =>
    onChange(conditions.flatMap((one, index) => (index !== at ? [one] : next ? [next] : [])));
  return (
    <Stack gap={2}>
      {conditions.map((condition, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: equal conditions differ only by position
        <div className={css['condition']} key={at} data-condition>
          <ConditionRow
            condition={condition}
            fields={fields}
            doctype={doctype}
            onChange={(next) => replace(at, next)}
          />
          <IconButton icon="close" label={t('Remove this condition')} onClick={() => replace(at, null)} />
        </div>
      ))}
      <div>
        <Button kind="quiet" icon="plus" onClick={() => onChange([...conditions, emptyCondition(fields)])}>
          {t('Add a condition')}
        </Button>
      </div>
    </Stack>
  );
}

function ConditionRow({
  condition,
  fields,
  doctype,
  onChange,
}: Omit<ConditionsProps, 'conditions' | 'onChange'> & {
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
}) {
  const known = fieldOf(fields, condition);
  const own = operatorsOf(known.field.fieldtype);
  const isOdd = !own.some((one) => one === condition.operator);
  return (
    <>
      <Select
        aria-label={t('Field')}
        // The options would cover the conditions.
        openOnFocus={false}
        value={keyOf(condition.table, condition.field)}
        onChange={(key) => key !== null && onChange(emptyCondition(fields, key))}
        choices={[
          ...fields.map(({ key, label }) => ({ value: key, label })),
          ...(fields.includes(known) ? [] : [{ value: known.key, label: known.label }]),
        ]}
      />
      <Select
        aria-label={t('Operator')}
        isSearchable={false}
        value={condition.operator}
        onChange={(operator) => operator !== null && onChange(withOperator(condition, operator))}
        choices={[
          ...own.map((one) => ({ value: one, label: wordOf(one) })),
          ...(isOdd ? [{ value: condition.operator, label: condition.operator }] : []),
        ]}
      />
      <FilterValue
        condition={condition}
        field={known.field}
        label={known.label}
        doctype={doctype}
        onChange={(value) => onChange({ ...condition, value })}
      />
    </>
  );
}
