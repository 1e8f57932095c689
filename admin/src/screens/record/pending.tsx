import { t } from '../../base/i18n.ts';
import { recordTrail } from '../../meta/doctype-trail.ts';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Card, Hidden } from '../../widgets/layout.tsx';
import { Page } from '../../widgets/page.tsx';
import css from './record.module.css';

/** Placeholder of a loading form. */
export function Pending({ title, doctype }: { readonly title: string; readonly doctype: string }) {
  return (
    <Page title={title} trail={recordTrail(doctype)}>
      <Card>
        <div className={css['skeleton']} aria-busy="true">
          <Hidden>{t('Loading…')}</Hidden>
          {[0, 1, 2, 3, 4, 5].map((at) => (
            <div key={at}>
              <Skeleton height={12} width={96} />
              <Skeleton height={32} />
            </div>
          ))}
        </div>
      </Card>
    </Page>
  );
}
