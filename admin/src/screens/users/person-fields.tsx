import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { isApiError } from '../../data/api-error.ts';
import { TextInput } from '../../widgets/inputs.tsx';
import { Row } from '../../widgets/layout.tsx';
import type { UserValues } from './user-data.ts';
import css from './users.module.css';

/** Name, username and phone of a user. */
export function PersonFields({
  name,
  values,
  error,
  onChange,
}: {
  readonly name: string;
  readonly values: UserValues;
  readonly error: unknown;
  readonly onChange: (change: Partial<UserValues>) => void;
}) {
  const text = (field: 'firstName' | 'lastName' | 'username' | 'phone') => ({
    value: values[field],
    onChange: (value: string) => onChange({ [field]: value }),
    autoComplete: 'off',
  });
  const problem = (fieldname: string) =>
    isApiError(error) ? error.problems.find((one) => one.fieldname === fieldname)?.message : undefined;
  return (
    <>
      <Row isApart>
        <h2>{t('Person')}</h2>
        <PathLink to={paths.record('User', name)}>{t('All fields')}</PathLink>
      </Row>
      <div className={css['fields']}>
        <TextInput label={t('First name')} isRequired error={problem('first_name')} {...text('firstName')} />
        <TextInput label={t('Last name')} {...text('lastName')} />
        <TextInput label={t('Username')} error={problem('username')} {...text('username')} />
        <TextInput label={t('Phone')} type="tel" error={problem('phone')} {...text('phone')} />
      </div>
    </>
  );
}
