import { useEffect } from 'react';
import { t } from '../base/i18n.ts';
import { useStore } from '../base/store.ts';
import { dismissToast, type Toast, toasts } from '../base/toasts.ts';
import { Button, IconButton } from './button.tsx';
import { Muted } from './layout.tsx';
import css from './toast-list.module.css';

/** Milliseconds before a passing message disappears. */
const STAY = 5_000;

/** The messages in the corner. The live region announces their text. */
export function ToastList() {
  const shown = useStore(toasts);
  return (
    <section className={css['list']} aria-label={t('Messages')}>
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastCard({ toast }: { readonly toast: Toast }) {
  const { id, isLasting, action } = toast;
  useEffect(() => {
    if (isLasting) return;
    const timer = setTimeout(() => dismissToast(id), STAY);
    return () => clearTimeout(timer);
  }, [id, isLasting]);
  return (
    <div className={css['toast']} data-kind={toast.kind}>
      <div className={css['body']}>
        <div>{toast.text}</div>
        {toast.detail && <Muted isSmall>{toast.detail}</Muted>}
      </div>
      {action && (
        <Button
          onClick={() => {
            dismissToast(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton
        label={t('Dismiss')}
        icon="close"
        isSmall
        hasTooltip={false}
        onClick={() => dismissToast(id)}
      />
    </div>
  );
}
