import { announcement } from '../base/announce.ts';
import { useStore } from '../base/store.ts';

/**
 * Where results are said to who does not see them. Both are there from the start: regions that come with
 * their text are not read.
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
