import { ErrorPanel } from '../widgets/error-panel.tsx';
import { WidgetProvider } from '../widgets/provider.tsx';
import css from './shell/shell.module.css';

/** The server did not say who is there: nothing can be shown but that. */
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
