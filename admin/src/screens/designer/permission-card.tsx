import { t } from '../../base/i18n.ts';
import { IconButton } from '../../widgets/button.tsx';
import { Checkbox } from '../../widgets/checks.tsx';
import { Select } from '../../widgets/select.tsx';
import css from './designer.module.css';
import { useDesign } from './designer-context.ts';
import { isOn, type Raw, textOf, withValue } from './draft.ts';
import { useRoles } from './use-doctypes.ts';
import { useProperty } from './use-property.ts';

/** The rights of a role at one level. */
export function PermissionCard({ row, at }: { readonly row: Raw; readonly at: number }) {
  const store = useDesign();
  const roles = useRoles();
  const { isOn: isSubmittable } = useProperty('is_submittable');
  const role = textOf(row, 'role');
  const level = textOf(row, 'permlevel') || '0';
  const set = (property: string, value: unknown) =>
    store.change((draft) => ({
      ...draft,
      permissions: draft.permissions.with(at, withValue(draft.permissions[at] ?? {}, property, value)),
    }));
  const drop = () => store.change((draft) => ({ ...draft, permissions: draft.permissions.toSpliced(at, 1) }));
  const rights =
    level === '0' ? rightsOf(isSubmittable) : rightsOf(false).filter(([name]) => LEVELLED.has(name));
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
          choices={[...new Set([...(role === '' ? [] : [role]), ...roles])]}
        />
        <Select
          label={t('Level')}
          isSearchable={false}
          value={level}
          onChange={(next) => set('permlevel', Number(next))}
          choices={Array.from({ length: 10 }, (_, one) => String(one))}
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
        <Checkbox
          label={t('Own records only')}
          isOn={isOn(row, 'if_owner')}
          onChange={(on) => set('if_owner', on ? 1 : 0)}
        />
      </div>
    </fieldset>
  );
}

/** The rights that fields of a higher level have. */
const LEVELLED: ReadonlySet<string> = new Set(['read', 'write']);

function rightsOf(isSubmittable: boolean): readonly (readonly [string, string])[] {
  return [
    ['read', t('Read')],
    ['write', t('Write')],
    ['create', t('Create')],
    ['delete', t('Delete')],
    ...(isSubmittable
      ? ([
          ['submit', t('Submit')],
          ['cancel', t('Cancel')],
          ['amend', t('Amend')],
        ] as const)
      : []),
    ['select', t('Select')],
    ['report', t('Report')],
    ['export', t('Export')],
    ['import', t('Import')],
    ['share', t('Share')],
    ['print', t('Print')],
    ['email', t('Email')],
  ];
}
