import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import css from './layout.module.css';

/** Empty state: the reason and the next step. */
export function EmptyState({
  icon = 'info',
  title,
  children,
  action,
}: {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className={css['empty']}>
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action && <div>{action}</div>}
    </div>
  );
}
