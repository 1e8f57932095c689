import { useState } from 'react';
import { formatBytes } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { useStore } from '../../../base/store.ts';
import { deleteDocument, updateDocument } from '../../../data/documents.ts';
import { keys } from '../../../data/keys.ts';
import { queryClient } from '../../../data/query-client.ts';
import type { QueuedUpload, UploadQueue } from '../../../data/uploads/upload-queue.ts';
import { IconButton } from '../../../widgets/button.tsx';
import { ConfirmDialog } from '../../../widgets/confirm-dialog.tsx';
import { messagesOf, tellFailure } from '../../../widgets/error-panel.tsx';
import { Progress } from '../../../widgets/feedback.tsx';
import { Icon } from '../../../widgets/icon.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { accessWords } from '../../files/access-words.ts';
import { addressElsewhere, addressOfFile, iconOf, isStored, previewKind } from '../../files/file-item.ts';
import css from './beside.module.css';
import type { Attachment } from './beside-data.ts';

/** A file that is being uploaded. */
export function UploadRow({ upload, queue }: { readonly upload: QueuedUpload; readonly queue: UploadQueue }) {
  const { phase, sent, error } = useStore(upload.state);
  if (phase === 'done') return null;
  return (
    <li className={css['file']}>
      <div className={css['fileLine']}>
        <span className={css['fileName']} title={upload.fileName} dir="auto">
          {upload.fileName}
        </span>
        {phase === 'failed' && (
          <IconButton isSmall icon="refresh" label={t('Try again')} onClick={() => queue.resume(upload.id)} />
        )}
        <IconButton isSmall icon="close" label={t('Cancel')} onClick={() => void queue.cancel(upload.id)} />
      </div>
      {phase === 'failed' ? (
        <span className={css['problem']} role="alert">
          {messagesOf(error).join(' ')}
        </span>
      ) : (
        <Progress
          value={upload.bytes === 0 ? 0 : (100 * sent) / upload.bytes}
          label={t('Upload of {name}', { name: upload.fileName })}
        />
      )}
    </li>
  );
}

/** An attached file. */
export function AttachmentRow({ file, canWrite }: { readonly file: Attachment; readonly canWrite: boolean }) {
  const [isAsking, ask] = useState(false);
  const address = isStored(file.url) ? addressOfFile(file.url) : (addressElsewhere(file.url) ?? undefined);
  const isImage = previewKind({ ...file, isFolder: false }) === 'image';
  const toggle = async () => {
    try {
      await updateDocument('File', file.name, { is_private: file.isPrivate ? 0 : 1 });
      await refreshAttachments();
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <li className={css['file']}>
      <div className={css['fileLine']}>
        {isImage ? (
          <img
            className={css['thumb']}
            src={addressOfFile(file.url, { side: 64, fit: 'cover' })}
            alt=""
            loading="lazy"
          />
        ) : (
          <Icon name={iconOf({ ...file, isFolder: false })} />
        )}
        <a
          className={css['fileName']}
          href={address}
          target="_blank"
          rel="noopener noreferrer"
          title={file.title}
          dir="auto"
        >
          {file.title}
        </a>
        <Muted isSmall>{file.bytes > 0 ? formatBytes(file.bytes) : ''}</Muted>
        {canWrite && (
          <>
            <IconButton
              isSmall
              icon={file.isPrivate ? 'lock' : 'globe'}
              label={
                file.isPrivate
                  ? t('{name} is private. Make it public', { name: file.title })
                  : t('{name} is public. Make it private', { name: file.title })
              }
              onClick={() => void toggle()}
            />
            <IconButton
              isSmall
              icon="trash"
              label={t('Remove {name}', { name: file.title })}
              onClick={() => ask(true)}
            />
          </>
        )}
      </div>
      {!file.isPrivate && <Muted isSmall>{accessWords(false)}</Muted>}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => ask(false)}
        title={t('Remove {name}?', { name: file.title })}
        action={t('Delete')}
        isDanger
        run={async () => {
          await deleteDocument('File', file.name);
          await refreshAttachments();
        }}
      />
    </li>
  );
}

/** Reads the attachments again. */
export function refreshAttachments(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keys.lists('File') });
}
