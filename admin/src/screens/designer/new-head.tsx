import { t } from '../../base/i18n.ts';
import { TextInput } from '../../widgets/inputs.tsx';
import css from './designer.module.css';
import { useDesigned } from './designer-context.ts';
import { useProperty } from './use-property.ts';

/** The name of a new doctype. */
export function NewHead() {
  const { text, set } = useProperty('name');
  const problem = useDesigned(({ problems }) =>
    problems.get('')?.find((one) => /\bname\b|exists/i.test(one)),
  );
  const isOdd = text !== '' && !/^[A-Za-z][A-Za-z0-9 _-]*$/.test(text);
  const error = isOdd ? t('Letters, digits, spaces, _ and -, beginning with a letter') : problem;
  return (
    <div className={css['newHead']}>
      <TextInput
        label={t('Name of the doctype')}
        description={t('In the singular: Customer, Sales Invoice')}
        isRequired
        autoFocus
        maxLength={60}
        value={text}
        onChange={set}
        error={error}
        autoComplete="off"
      />
    </div>
  );
}
