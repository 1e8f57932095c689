import { useRef } from 'react';
import { announce } from '../../base/announce.ts';
import { t } from '../../base/i18n.ts';
import { useTask } from '../../base/use-task.ts';
import { methodPath } from '../../data/api.ts';
import { send } from '../../data/wire.ts';
import type { ControlProps } from '../../meta/field-registry.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Button, IconButton } from '../button.tsx';
import { messagesOf } from '../error-panel.tsx';
import { FieldFrame } from '../field-frame.tsx';
import { Icon } from '../icon.tsx';
import { safeHref } from '../rich/rich-node.ts';
import { frameOf, textOf } from './control-frame.ts';
import css from './fields.module.css';

/** Attach and Attach Image. The value is the address of a file attached to the document. */
export function AttachControl(props: ControlProps) {
  const { field, value, onChange, onCommit, isReadOnly, doctype, docname } = props;
  const { isBusy, error, run } = useTask();
  const input = useRef<HTMLInputElement>(null);
  const { 'aria-label': _, ...frame } = frameOf({
    ...props,
    error: props.error ?? (error === null ? undefined : messagesOf(error).join(' ')),
  });
  const url = textOf(value);
  const isImage = field.fieldtype === 'Attach Image';

  const upload = (file: File) =>
    run(async () => {
      const { fileUrl } = await uploadFor(file, { doctype, docname, fieldname: field.fieldname });
      onChange(fileUrl);
      announce(t('{file} uploaded', { file: file.name }));
      onCommit?.();
    });
  return (
    <FieldFrame {...frame}>
      {(framed) => (
        <div className={css['attach']}>
          {isImage && url !== '' && (
            <img className={css['image']} src={safeImage(url)} alt={labelOf(field)} />
          )}
          {url !== '' && <FileLink url={url} />}
          {!isReadOnly && (
            <Button {...framed} icon="attach" isBusy={isBusy} onClick={() => input.current?.click()}>
              {url === '' ? t('Attach a file') : t('Replace')}
            </Button>
          )}
          {!isReadOnly && url !== '' && (
            <IconButton
              icon="close"
              label={t('Remove the file from {field}', { field: labelOf(field) })}
              onClick={() => onChange(null)}
            />
          )}
          {isReadOnly && url === '' && <span id={framed.id}>–</span>}
          <input
            ref={input}
            type="file"
            hidden
            aria-label={labelOf(field)}
            accept={isImage ? 'image/*' : undefined}
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? [];
              event.currentTarget.value = '';
              if (file) void upload(file);
            }}
          />
        </div>
      )}
    </FieldFrame>
  );
}

function FileLink({ url }: { readonly url: string }) {
  const href = safeHref(url);
  const name = url.split('/').at(-1) ?? url;
  return (
    <span className={css['file']} title={url} dir="auto">
      <Icon name="file" size={14} />
      {href === undefined ? (
        name
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {nameOfFile(name)}
        </a>
      )}
    </span>
  );
}

// Only pictures of this server, so that the page requests nothing from other hosts.
function safeImage(url: string): string | undefined {
  return /^\/(?:files|private\/files)\//.test(url) ? url : undefined;
}

function nameOfFile(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface Place {
  readonly doctype: string;
  readonly docname: string | null;
  readonly fieldname: string;
}

/** Uploads a file for a field. The file of a new document is attached when the document is saved. */
async function uploadFor(file: File, { doctype, docname, fieldname }: Place): Promise<{ fileUrl: string }> {
  const form = new FormData();
  form.set('file', file, file.name);
  form.set('is_private', '1');
  if (docname !== null) {
    form.set('doctype', doctype);
    form.set('docname', docname);
    form.set('fieldname', fieldname);
  }
  const { body } = await send('POST', methodPath('upload_file'), { body: form });
  return { fileUrl: (body as { message: { file_url: string } }).message.file_url };
}
