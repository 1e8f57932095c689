import { useState } from 'react';
import { announce } from '../../../base/announce.ts';
import { t } from '../../../base/i18n.ts';
import { useTask } from '../../../base/use-task.ts';
import { callMethod } from '../../../data/api.ts';
import { keys } from '../../../data/keys.ts';
import { queryClient } from '../../../data/query-client.ts';
import { Button } from '../../../widgets/button.tsx';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Textarea } from '../../../widgets/textarea.tsx';
import css from './beside.module.css';

interface CommentFormProps {
  readonly doctype: string;
  readonly name: string;
}

/** The input of a new comment. */
export function CommentForm({ doctype, name }: CommentFormProps) {
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
      await queryClient.invalidateQueries({ queryKey: keys.lists('Comment') });
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

/** Converts typed text to the HTML of a comment. */
function asHtml(text: string): string {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return safe
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('');
}
