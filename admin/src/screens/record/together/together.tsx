import type { RecordModel } from '../../../form/record.ts';
import { FollowButton } from './follow-button.tsx';

/** What connects the user with the others at a document: following it. */
export function Together({ model }: { readonly model: RecordModel }) {
  return <FollowButton model={model} />;
}
