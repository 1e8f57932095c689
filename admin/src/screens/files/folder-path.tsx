import { t } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { Icon } from '../../widgets/icon.tsx';
import { useDropTarget } from './dragged.ts';
import { useFileActions } from './file-actions.ts';
import { pathTo } from './file-item.ts';
import css from './files.module.css';

/** The path from Home to the folder. Each step is a drop target. */
export function FolderPath({ folder, isSearch }: { readonly folder: string; readonly isSearch: boolean }) {
  const steps = isSearch ? pathTo(folder).slice(0, 1) : pathTo(folder);
  return (
    <nav aria-label={t('Path of the folder')} className={css['path']}>
      <ol>
        {steps.map((step, at) => (
          <Step
            key={step.path}
            step={step}
            isLast={!isSearch && at === steps.length - 1}
            isFirst={at === 0}
          />
        ))}
        {isSearch && (
          <li>
            <Icon name="end" size={12} />
            <span aria-current="page">{t('Search results')}</span>
          </li>
        )}
      </ol>
    </nav>
  );
}

interface StepProps {
  readonly step: { readonly path: string; readonly title: string };
  readonly isLast: boolean;
  readonly isFirst: boolean;
}

function Step({ step, isLast, isFirst }: StepProps) {
  const actions = useFileActions();
  const { isOver, handlers } = useDropTarget(
    {
      onFiles: (transfer) => actions.upload(step.path, transfer),
      onMove: (names) => actions.move(step.path, names),
    },
    !isLast,
  );
  return (
    <li {...handlers} data-over={isOver || undefined}>
      {!isFirst && <Icon name="end" size={12} />}
      {isLast ? (
        <bdi aria-current="page" title={step.title}>
          {step.title}
        </bdi>
      ) : (
        <PathLink to={paths.files({ folder: step.path })} title={step.title}>
          <bdi>{step.title}</bdi>
        </PathLink>
      )}
    </li>
  );
}
