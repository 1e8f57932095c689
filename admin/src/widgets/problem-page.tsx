import type { ReactNode } from 'react';
import { t } from '../base/i18n.ts';
import { PathLink } from '../base/navigation.tsx';
import { paths } from '../base/paths.ts';
import { Icon, type IconName } from './icon.tsx';
import css from './layout.module.css';
import { Page, type PageProps } from './page.tsx';

interface ProblemPageProps extends Pick<PageProps, 'title' | 'trail'> {
  readonly icon: IconName;
  readonly children: ReactNode;
  /** The way on; Home by default. */
  readonly to?: string;
  readonly label?: string;
}

/** A screen that has nothing to show: why, and the way on. */
export function ProblemPage({ icon, title, trail, children, to, label }: ProblemPageProps) {
  return (
    <Page title={title} trail={trail ?? []} lead={<Icon name={icon} size={32} />}>
      <p>{children}</p>
      <PathLink className={css['way']} to={to ?? paths.home()}>
        {label ?? t('Go to Home')}
      </PathLink>
    </Page>
  );
}
