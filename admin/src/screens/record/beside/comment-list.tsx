import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { announce } from '../../../base/announce.ts';
import { formatDatetime, formatRelative } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { useTask } from '../../../base/use-task.ts';
import { callMethod } from '../../../data/api.ts';
import { useUser } from '../../../data/boot.ts';
import { deleteDocument } from '../../../data/documents.ts';
import { keys } from '../../../data/keys.ts';
import { queryClient } from '../../../data/query-client.ts';
import { Button, IconButton } from '../../../widgets/button.tsx';
import { ConfirmDialog } from '../../../widgets/confirm-dialog.tsx';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Skeleton } from '../../../widgets/feedback.tsx';
import { Muted, Stack } from '../../../widgets/layout.tsx';
import { parseHtml } from '../../../widgets/rich/parse-html.ts';
import { RichText } from '../../../widgets/rich/rich-text.tsx';
import { Textarea } from '../../../widgets/textarea.tsx';
import css from './beside.module.css';
import { type CommentRow, commentsQuery } from './beside-data.ts';

interface ListProps {
  readonly doctype: string;
  readonly name: string;
}

/** Comments of a document, and an input for a new one. */
export function CommentList({ doctype, name }: ListProps) {
  const { data, error, refetch, isPending } = useQuery(commentsQuery(doctype, name));
  return (
    <Stack gap={3}>
      <CommentForm doctype={doctype} name={name} />
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton height={60} />}
      {data?.length === 0 && <Muted>{t('No comments yet.')}</Muted>}
      <ul className={css['entries']}>
        {data?.map((comment) => (
          <Comment key={comment.name} comment={comment} />
        ))}
      </ul>
    </Stack>
  );
}

function CommentForm({ doctype, name }: ListProps) {
  const [text, setText] = useState('');
  const { isBusy, error, run } = useTask();
  const send = () => {
    if (text.trim() === '') return;
    void run(async () => {
      await callMethod('frappe.desk.form.utils.add_comment', {
        reference_doctype: doctype,
        reference_name: name,
        content: asHtml(text.trim()),
      });
      // Keeps a new comment that the user started meanwhile.
      setText((now) => (now === text ? '' : now));
      announce(t('Comment added'));
      await refresh();
    });
  };
  return (
    <form
      className={css['write']}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        label={t('Comment')}
        value={text}
        onChange={setText}
        rows={2}
        dir="auto"
        onKeyDown={(event) => {
          // The surrounding form also handles these keys. Here they submit the comment.
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.stopPropagation();
          send();
        }}
      />
      {error !== null && <ErrorPanel error={error} />}
      <span>
        <Button type="submit" icon="comment" isBusy={isBusy} disabled={text.trim() === ''}>
          {t('Add comment')}
        </Button>
      </span>
    </form>
  );
}

function Comment({ comment }: { readonly comment: CommentRow }) {
  const user = useUser();
  const [isAsking, ask] = useState(false);
  const isOwn = comment.owner === user?.name || user?.isSystemManager;
  return (
    <li className={css['entry']}>
      <div className={css['byline']}>
        <strong dir="auto">{comment.owner}</strong>
        <time className={css['when']} dateTime={comment.creation} title={formatDatetime(comment.creation)}>
          {formatRelative(comment.creation)}
        </time>
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
          await refresh();
        }}
      />
    </li>
  );
}

function refresh(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keys.lists('Comment') });
}

/** Converts typed text to the HTML of a comment. */
function asHtml(text: string): string {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return safe
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('');
}
