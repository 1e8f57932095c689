import { announcement } from '../base/announce.ts';
import { useStore } from '../base/store.ts';

/**
 * Live regions, through which screen readers announce results. Both exist from the start: screen readers
 * ignore a region that arrives together with its text.
 */
export function LiveRegions() {
  const { text, isUrgent, at } = useStore(announcement);
  return (
    <div className="visually-hidden">
      <div role="status" aria-live="polite">
        {!isUrgent && <span key={at}>{text}</span>}
      </div>
      <div role="alert" aria-live="assertive">
        {isUrgent && <span key={at}>{text}</span>}
      </div>
    </div>
  );
}
