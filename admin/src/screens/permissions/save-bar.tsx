import { useState } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { useShortcut } from '../../base/shortcuts.ts';
import { Button } from '../../widgets/button.tsx';
import css from './permissions.module.css';
import { SaveDialog } from './save-dialog.tsx';
import type { Matrix } from './use-permissions.ts';

/** The number of unsaved changes, with the way to save them. */
export function SaveBar({ matrix }: { readonly matrix: Matrix }) {
  const [isOpen, setOpen] = useState(false);
  const count = matrix.changes.length;
  useShortcut('form', 'mod+s', t('Save'), () => setOpen(true), { isOn: count > 0 });
  return (
    <>
      {count > 0 && (
        <section className={css['saveBar']} data-stays aria-label={t('Unsaved changes')}>
          <span>{tn(count, '{count} row changed, not saved', '{count} rows changed, not saved')}</span>
          <Button onClick={matrix.discard}>{t('Discard changes')}</Button>
          <Button kind="primary" onClick={() => setOpen(true)}>
            {t('Review and save')}
          </Button>
        </section>
      )}
      {isOpen && <SaveDialog matrix={matrix} onClose={() => setOpen(false)} />}
    </>
  );
}
