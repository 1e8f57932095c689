import { t } from '../../base/i18n.ts';
import { useSetSearch } from '../../base/navigation.tsx';
import { RIGHT_NAMES } from '../../data/boot.ts';
import { labelOfRight } from '../../meta/rights.ts';
import { DocumentPicker } from '../../widgets/document-picker.tsx';
import { TextInput } from '../../widgets/inputs.tsx';
import { Select } from '../../widgets/select.tsx';
import { DoctypePicker } from './doctype-picker.tsx';
import type { Question } from './explain-data.ts';
import css from './permissions.module.css';

/** Who wants to do what with which document; the address keeps it. */
export function QuestionForm({
  question,
  isFixed,
}: {
  readonly question: Question;
  readonly isFixed: boolean;
}) {
  const setSearch = useSetSearch();
  return (
    <section className={css['question']} aria-label={t('Question')}>
      {isFixed ? (
        <TextInput label={t('User')} value={question.user} onChange={() => {}} readOnly />
      ) : (
        <DocumentPicker
          doctype="User"
          label={t('User')}
          placeholder={t('Choose a user')}
          value={question.user}
          onChange={(user) => setSearch({ user: user || undefined })}
        />
      )}
      <Select
        label={t('Action')}
        value={question.right}
        isSearchable={false}
        onChange={(right) => setSearch({ right: right ?? undefined })}
        choices={RIGHT_NAMES.map((right) => ({ value: right, label: labelOfRight(right) }))}
      />
      <DoctypePicker
        label={t('Doctype')}
        placeholder={t('Choose a doctype')}
        value={question.doctype}
        onChange={(doctype) => setSearch({ doctype: doctype || undefined, name: undefined })}
      />
      <DocumentPicker
        key={question.doctype}
        doctype={question.doctype}
        label={t('Record')}
        placeholder={t('Any record')}
        value={question.name}
        onChange={(name) => setSearch({ name: name || undefined })}
      />
    </section>
  );
}
