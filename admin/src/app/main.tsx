import { createRoot } from 'react-dom/client';
import { startShortcuts } from '../base/shortcuts.ts';
import { isApiError } from '../data/api-error.ts';
import { enter } from '../data/person.ts';
import { App } from './app.tsx';
import { watchVersion } from './new-version.ts';
import { StartFailed } from './start-failed.tsx';
import './first-paint.css';

const element = document.getElementById('root');
if (!element) throw new Error('the page has no place for the UI');
const root = createRoot(element, {
  // A refusal of the server is shown on its screen; the console is for faults of the UI.
  onCaughtError: (error) => isApiError(error) || console.error(error),
});
watchVersion(window);
startShortcuts(window);

async function start(): Promise<void> {
  try {
    await enter();
    root.render(<App />);
  } catch (error) {
    console.error(error);
    root.render(<StartFailed error={error} onRetry={() => void start()} />);
  }
}

// Never awaited here: a chunk that `start` loads may import this one, and would wait for it.
void start();
