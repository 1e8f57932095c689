import { t } from '../../base/i18n.ts';
import { useGo } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import type { ApiError } from '../../data/api-error.ts';
import { recordTrail } from '../../meta/doctype-trail.ts';
import { may } from '../../meta/permissions.ts';
import { Button } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Page } from '../../widgets/page.tsx';

interface MissingProps {
  readonly doctype: string;
  readonly name: string;
  readonly error: ApiError;
}

/** The address of a record that does not exist. To try again would not help. */
export function Missing({ doctype, name, error }: MissingProps) {
  const go = useGo();
  const isListed = may(doctype, 'read');
  const [to, label] = isListed
    ? [paths.list(doctype), t('Back to {doctype}', { doctype: t(doctype) })]
    : [paths.home(), t('Go to Home')];
  return (
    <Page title={name} trail={isListed ? recordTrail(doctype) : []}>
      <EmptyState
        icon="search"
        title={t('Not found')}
        action={
          <Button kind="primary" onClick={() => go(to)}>
            {label}
          </Button>
        }
      >
        {error.messages.join(' ')}
      </EmptyState>
    </Page>
  );
}
