import { Spinner } from '../widgets/feedback.tsx';
import css from './shell/shell.module.css';

/** Placeholder of a loading screen. */
export function ScreenPending() {
  return (
    <div className={css['pending']}>
      <Spinner />
    </div>
  );
}
