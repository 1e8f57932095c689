import { useRef, useState } from 'react';
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
import { MentionList } from './mention-list.tsx';
import mentionCss from './mentions.module.css';
import { asHtml } from './mentions.ts';
import { useMentions } from './use-mentions.ts';

interface CommentFormProps {
  readonly doctype: string;
  readonly name: string;
}

/** The input of a new comment. */
export function CommentForm({ doctype, name }: CommentFormProps) {
  const [text, setText] = useState('');
  const input = useRef<HTMLTextAreaElement>(null);
  const mentions = useMentions({ doctype, name, text, setText, input });
  const { isBusy, error, run } = useTask();
  const send = () => {
    if (text.trim() === '') return;
    void run(async () => {
      await callMethod('frappe.desk.form.utils.add_comment', {
        reference_doctype: doctype,
        reference_name: name,
        content: asHtml(text.trim(), mentions.mentioned),
      });
      // Keeps a new comment that the user started meanwhile.
      setText((now) => (now === text ? '' : now));
      mentions.forget();
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
      <div className={mentionCss['box']}>
        <Textarea
          {...mentions.inputProps}
          ref={input}
          label={t('Comment')}
          description={t('Type @ to mention somebody')}
          value={text}
          onChange={(now) => {
            setText(now);
            mentions.look();
          }}
          onSelect={mentions.look}
          onBlur={mentions.close}
          rows={2}
          dir="auto"
          onKeyDown={(event) => {
            // The surrounding form also handles these keys. Here they submit the comment.
            if (mentions.onKeyDown(event) || event.key !== 'Enter' || !(event.ctrlKey || event.metaKey))
              return;
            event.preventDefault();
            event.stopPropagation();
            send();
          }}
        />
        <MentionList mentions={mentions} />
      </div>
      {error !== null && <ErrorPanel error={error} />}
      <span>
        <Button type="submit" icon="comment" isBusy={isBusy} disabled={text.trim() === ''}>
          {t('Add comment')}
        </Button>
      </span>
    </form>
  );
}
