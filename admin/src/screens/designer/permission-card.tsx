import { t } from '../../base/i18n.ts';
import { IconButton } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { Select } from '../../widgets/select.tsx';
import css from './designer.module.css';
import { isOn, type Raw } from './draft.ts';
import { LEVELS, usePermissionRow, useRights } from './permission-rows.ts';

/** The rights of a role at one level, on a narrow screen. */
export function PermissionCard({ row, at }: { readonly row: Raw; readonly at: number }) {
  const { role, level, roles, has, set, drop } = usePermissionRow(row, at);
  const rights = useRights().filter(([name]) => has(name));
  return (
    <fieldset className={css['permission']}>
      <legend className="visually-hidden">{role || t('no role')}</legend>
      <div className={css['permissionHead']}>
        <Select
          label={t('Role')}
          isSearchable
          placeholder={t('Choose a role')}
          value={role || null}
          onChange={(next) => set('role', next)}
          choices={roles}
        />
        <Select
          label={t('Level')}
          isSearchable={false}
          value={level}
          onChange={(next) => set('permlevel', Number(next))}
          choices={LEVELS}
        />
        <IconButton icon="trash" label={t('Remove row {at}', { at: at + 1 })} onClick={drop} />
      </div>
      <div className={css['rights']}>
        {rights.map(([name, label]) => (
          <Checkbox
            key={name}
            label={label}
            isOn={isOn(row, name)}
            onChange={(on) => set(name, on ? 1 : 0)}
          />
        ))}
      </div>
    </fieldset>
  );
}
