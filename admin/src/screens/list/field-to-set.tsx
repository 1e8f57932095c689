import { t } from '../../base/i18n.ts';
import { useUser } from '../../data/boot.ts';
import type { Scalar } from '../../grid/list-filters.ts';
import { isListable } from '../../meta/fieldtypes.ts';
import type { Field, Meta } from '../../meta/meta.ts';
import { isLevelOpen } from '../../meta/permissions.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { FieldFrame } from '../../widgets/field-frame.tsx';
import { Select } from '../../widgets/select.tsx';
import { OneValue } from './filter-value.tsx';

interface FieldToSetProps {
  readonly meta: Meta;
  readonly field: Field | null;
  readonly value: Scalar;
  readonly onField: (field: Field | null) => void;
  readonly onValue: (value: Scalar) => void;
}

/** Chooses a field that the user may change, and its new value. */
export function FieldToSet({ meta, field, value, onField, onValue }: FieldToSetProps) {
  const user = useUser();
  const fields = meta.fields.filter(
    (one) =>
      isListable(one.fieldtype) &&
      !one.read_only &&
      !one.is_virtual &&
      !one.set_only_once &&
      isLevelOpen(meta, one.permlevel, 'write', user),
  );
  return (
    <>
      <Select
        label={t('Field')}
        value={field?.fieldname ?? null}
        onChange={(name) => {
          onField(meta.fieldByName.get(name ?? '') ?? null);
          onValue(null);
        }}
        choices={fields.map((one) => ({ value: one.fieldname, label: labelOf(one) }))}
        autoFocus
        openOnFocus={false}
      />
      {field && (
        <FieldFrame label={t('New value')} description={t('Leave empty to clear')}>
          {() => (
            <OneValue
              key={field.fieldname}
              field={field}
              label={t('New value')}
              doctype={meta.name}
              value={value}
              onChange={onValue}
            />
          )}
        </FieldFrame>
      )}
    </>
  );
}
