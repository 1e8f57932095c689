import { t } from '../../base/i18n.ts';
import { paths } from '../../base/paths.ts';
import { recordTrail } from '../../meta/doctype-trail.ts';
import { may } from '../../meta/permissions.ts';
import { ProblemPage } from '../../widgets/problem-page.tsx';

interface MissingProps {
  readonly doctype: string;
  readonly name: string;
}

/** The address of a record that does not exist. To try again would not help. */
export function Missing({ doctype, name }: MissingProps) {
  const way = may(doctype, 'read')
    ? {
        trail: recordTrail(doctype),
        to: paths.list(doctype),
        label: t('Back to {doctype}', { doctype: t(doctype) }),
      }
    : {};
  return (
    <ProblemPage icon="search" title={t('{name} not found', { name })} {...way}>
      {t('It was moved or deleted, or the address is wrong.')}
    </ProblemPage>
  );
}
