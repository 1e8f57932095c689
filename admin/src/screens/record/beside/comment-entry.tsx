import { useState } from 'react';
import { t } from '../../../base/i18n.ts';
import { useUser } from '../../../data/boot.ts';
import { deleteDocument } from '../../../data/documents.ts';
import { keys } from '../../../data/keys.ts';
import { queryClient } from '../../../data/query-client.ts';
import { IconButton } from '../../../widgets/button.tsx';
import { ConfirmDialog } from '../../../widgets/confirm-dialog.tsx';
import { parseHtml } from '../../../widgets/rich/parse-html.ts';
import { RichText } from '../../../widgets/rich/rich-text.tsx';
import css from './beside.module.css';
import type { CommentRow } from './beside-data.ts';
import { EntryTime } from './entry-time.tsx';

/** A comment. Its author and system managers can delete it. */
export function CommentEntry({ comment }: { readonly comment: CommentRow }) {
  const user = useUser();
  const [isAsking, ask] = useState(false);
  const isOwn = comment.owner === user?.name || user?.isSystemManager;
  return (
    <li className={css['entry']}>
      <div className={css['byline']}>
        <strong dir="auto">{comment.owner}</strong>
        <EntryTime at={comment.creation} />
        {isOwn && <IconButton isSmall icon="trash" label={t('Delete comment')} onClick={() => ask(true)} />}
      </div>
      <div className={css['said']} dir="auto">
        <RichText nodes={parseHtml(comment.content)} />
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => ask(false)}
        title={t('Delete this comment?')}
        action={t('Delete')}
        isDanger
        run={async () => {
          await deleteDocument('Comment', comment.name);
          await queryClient.invalidateQueries({ queryKey: keys.lists('Comment') });
        }}
      />
    </li>
  );
}
