import { Spinner } from '../widgets/feedback.tsx';
import css from './shell/shell.module.css';

/** A screen on its way. */
export function ScreenPending() {
  return (
    <div className={css['pending']}>
      <Spinner />
    </div>
  );
}
