import type { RecordModel } from '../../../form/record.ts';
import { FollowButton } from './follow-button.tsx';
import { ViewersPart } from './viewers.tsx';

/** What connects the user with the others at a document: following it, and who else views it. */
export function Together({ model }: { readonly model: RecordModel }) {
  return (
    <>
      <FollowButton model={model} />
      <ViewersPart model={model} />
    </>
  );
}
