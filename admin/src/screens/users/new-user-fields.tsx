import { useQuery } from '@tanstack/react-query';
import { t } from '../../base/i18n.ts';
import { isApiError } from '../../data/api-error.ts';
import { may } from '../../meta/permissions.ts';
import { TextInput } from '../../widgets/inputs.tsx';
import { MultiSelect } from '../../widgets/token-inputs.tsx';
import { type NewUserValues, rolesQuery } from './user-data.ts';
import css from './users.module.css';

/** Address, name and roles of a new user. */
export function NewUserFields({
  values,
  error,
  onChange,
}: {
  readonly values: NewUserValues;
  readonly error: unknown;
  readonly onChange: (change: Partial<NewUserValues>) => void;
}) {
  const mayAssign = may('Role', 'read');
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: mayAssign });
  const problem = (fieldname: string) =>
    isApiError(error) ? error.problems.find((one) => one.fieldname === fieldname)?.message : undefined;
  return (
    <>
      <TextInput
        label={t('E-mail')}
        description={t('Sign-in name')}
        type="email"
        isRequired
        autoComplete="off"
        value={values.email}
        onChange={(email) => onChange({ email })}
        error={problem('email')}
        data-autofocus
      />
      <div className={css['fields']}>
        <TextInput
          label={t('First name')}
          isRequired
          autoComplete="off"
          value={values.firstName}
          onChange={(firstName) => onChange({ firstName })}
          error={problem('first_name')}
        />
        <TextInput
          label={t('Last name')}
          autoComplete="off"
          value={values.lastName}
          onChange={(lastName) => onChange({ lastName })}
        />
      </div>
      {mayAssign && (
        <MultiSelect
          label={t('Roles')}
          description={t('Decide what the user may see and do. You can change them later.')}
          choices={roles}
          value={values.roles}
          onChange={(next) => onChange({ roles: next })}
        />
      )}
    </>
  );
}
