import { ErrorPanel } from '../widgets/error-panel.tsx';
import { WidgetProvider } from '../widgets/provider.tsx';
import css from './shell/shell.module.css';

/** Shown when the boot request failed. No other screen works without it. */
export function StartFailed({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <WidgetProvider isRightToLeft={false}>
      <main className={css['alone']}>
        <h1>Chancery</h1>
        <ErrorPanel error={error} onRetry={onRetry} />
      </main>
    </WidgetProvider>
  );
}
