import { t } from '../../base/i18n.ts';
import { IconButton } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { Select } from '../../widgets/select.tsx';
import css from './designer.module.css';
import { isOn, type Raw } from './draft.ts';
import { LEVELS, type Right, usePermissionRow, useRights } from './permission-rows.ts';

/** Roles down, rights across. */
export function PermissionMatrix({ rows }: { readonly rows: readonly Raw[] }) {
  const rights = useRights();
  return (
    <div className={css['matrixWrap']}>
      <table className={css['matrix']} aria-label={t('Permissions of the roles')}>
        <thead>
          <tr>
            <th scope="col">{t('Role')}</th>
            <th scope="col">{t('Level')}</th>
            {rights.map(([name, label]) => (
              <th key={name} scope="col" data-right={name}>
                {label}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <MatrixRow key={at} row={row} at={at} rights={rights} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface MatrixRowProps {
  readonly row: Raw;
  readonly at: number;
  readonly rights: readonly Right[];
}

function MatrixRow({ row, at, rights }: MatrixRowProps) {
  const { role, level, roles, has, set, drop } = usePermissionRow(row, at);
  const place = { at: at + 1, role: role === '' ? t('no role') : t(role) };
  return (
    <tr>
      <td>
        <Select
          aria-label={t('Role of row {at}', place)}
          isSearchable
          placeholder={t('Choose a role')}
          value={role || null}
          onChange={(next) => set('role', next)}
          choices={roles}
        />
      </td>
      <td>
        <Select
          aria-label={t('Level of row {at}', place)}
          isSearchable={false}
          value={level}
          onChange={(next) => set('permlevel', Number(next))}
          choices={LEVELS}
        />
      </td>
      {rights.map(([name, label]) => (
        <td key={name} data-right={name}>
          {has(name) && (
            <Checkbox
              aria-label={t('{right}: row {at}, {role}', { ...place, right: label })}
              isOn={isOn(row, name)}
              onChange={(on) => set(name, on ? 1 : 0)}
            />
          )}
        </td>
      ))}
      <td>
        <IconButton icon="trash" isSmall label={t('Remove row {at}', place)} onClick={drop} />
      </td>
    </tr>
  );
}
