import { createRoot } from 'react-dom/client';
import { startShortcuts } from '../base/shortcuts.ts';
import { enter } from '../data/person.ts';
import { App } from './app.tsx';
import { watchVersion } from './new-version.ts';
import { StartFailed } from './start-failed.tsx';

const element = document.getElementById('root');
if (!element) throw new Error('the page has no place for the UI');
const root = createRoot(element);
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

await start();
