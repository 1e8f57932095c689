import { useId, useState } from 'react';
import { formatNumber } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { Icon } from '../../widgets/icon.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { DoctypeTable } from './doctype-table.tsx';
import css from './doctypes.module.css';
import type { DoctypeGroup } from './use-doctypes.ts';

/** Maximum rows shown. Users find the others by search. */
const MOST = 100;

/** A group of doctypes, which opens and closes. */
export function DoctypeGroupPart({
  group: { id, lines },
  hasFacts,
  isOpen,
}: {
  readonly group: DoctypeGroup;
  readonly hasFacts: boolean;
  /** Until the user presses the heading. */
  readonly isOpen: boolean;
}) {
  const [pressed, setPressed] = useState<boolean | null>(null);
  const body = useId();
  const isShown = pressed ?? isOpen;
  const heading = { own: t('Application doctypes'), tables: t('Child tables'), system: t('System doctypes') }[
    id
  ];
  return (
    <section>
      <h2 className={css['heading']}>
        <button
          type="button"
          aria-expanded={isShown}
          aria-controls={isShown ? body : undefined}
          onClick={() => setPressed(!isShown)}
        >
          <span className={css['arrow']}>
            <Icon name="down" size={14} />
          </span>
          {heading} <Muted>{formatNumber(lines.length)}</Muted>
        </button>
      </h2>
      {isShown && (
        <div id={body}>
          <DoctypeTable
            label={heading}
            lines={lines.slice(0, MOST)}
            hasFacts={hasFacts}
            hasRecords={id !== 'tables'}
          />
          {lines.length > MOST && (
            <Muted>
              {tn(
                lines.length - MOST,
                '{count} more. Search to find it',
                '{count} more. Search to find them',
              )}
            </Muted>
          )}
        </div>
      )}
    </section>
  );
}
