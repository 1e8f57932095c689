import { t } from '../../base/i18n.ts';
import { useUser } from '../../data/boot.ts';
import { problemOf } from '../../meta/depends-on.ts';
import type { Meta } from '../../meta/meta.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Alert } from '../../widgets/feedback.tsx';

/** Warns users who can edit the doctype about invalid field conditions. Fields with these stay visible. */
export function Warnings({ meta }: { readonly meta: Meta }) {
  const user = useUser();
  const problems = meta.fields.flatMap((field) =>
    [field.depends_on, field.mandatory_depends_on, field.read_only_depends_on].flatMap((condition) => {
      const problem = problemOf(condition);
      return problem === null ? [] : [{ field, condition, problem }];
    }),
  );
  if (!user.isSystemManager || problems.length === 0) return null;
  return (
    <Alert tone="warning" title={t('Unsupported conditions in this form')}>
      <ul>
        {problems.map(({ field, condition, problem }) => (
          <li key={`${field.fieldname} ${condition}`}>
            <strong>{labelOf(field)}</strong> <code>{condition}</code> {problem}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
