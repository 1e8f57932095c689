import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { formatBytes } from '../../../base/format.ts';
import { t } from '../../../base/i18n.ts';
import { useStore } from '../../../base/store.ts';
import { knownBoot } from '../../../data/boot.ts';
import { deleteDocument, updateDocument } from '../../../data/documents.ts';
import { keys } from '../../../data/keys.ts';
import { queryClient } from '../../../data/query-client.ts';
import { newUploadQueue } from '../../../data/uploads/browser-queue.ts';
import type { QueuedUpload, UploadQueue } from '../../../data/uploads/upload-queue.ts';
import { Button, IconButton } from '../../../widgets/button.tsx';
import { ConfirmDialog } from '../../../widgets/confirm-dialog.tsx';
import { ErrorPanel, messagesOf, tellFailure } from '../../../widgets/error-panel.tsx';
import { Progress, Skeleton } from '../../../widgets/feedback.tsx';
import { Icon } from '../../../widgets/icon.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { addressElsewhere, addressOfFile, isStored, previewKind } from '../../files/file-item.ts';
import css from './beside.module.css';
import { type Attachment, attachmentsQuery } from './beside-data.ts';

interface AttachmentsProps {
  readonly doctype: string;
  readonly name: string;
  readonly canWrite: boolean;
}

/**
 * Files attached to the document, added by drop or file input. They are private unless the user publishes
 * them.
 */
export function Attachments({ doctype, name, canWrite }: AttachmentsProps) {
  const { data, error, refetch, isPending } = useQuery(attachmentsQuery(doctype, name));
  const [queue] = useState(makeQueue);
  const uploads = useStore(queue.uploads);
  const [isOver, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const add = (files: Iterable<File>) => {
    const isPrivate = knownBoot()?.site.isPrivateByDefault ?? true;
    const target = { folder: 'Home/Attachments', isPrivate, attachedTo: { doctype, docname: name } };
    queue.add([...files].map((file) => ({ file, target })));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same without dragging
    <div
      className={isOver ? `${css['drop']} ${css['over']}` : css['drop']}
      onDragOver={(event) => {
        if (!canWrite || !event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (!canWrite || event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        add(event.dataTransfer.files);
      }}
    >
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton height={24} />}
      <ul className={css['files']}>
        {data?.map((file) => (
          <AttachmentRow key={file.name} file={file} canWrite={canWrite} />
        ))}
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} queue={queue} />
        ))}
      </ul>
      {data?.length === 0 && uploads.length === 0 && !canWrite && <Muted isSmall>{t('None')}</Muted>}
      {canWrite && (
        <>
          <Button icon="attach" onClick={() => chooser.current?.click()}>
            {t('Attach files')}
          </Button>
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            aria-label={t('Files to attach')}
            onChange={(event) => {
              add(event.currentTarget.files ?? []);
              event.currentTarget.value = '';
            }}
          />
        </>
      )}
    </div>
  );
}

function makeQueue(): UploadQueue {
  const queue: UploadQueue = newUploadQueue(() => {
    queue.clearDone();
    void refresh();
  });
  return queue;
}

function UploadRow({ upload, queue }: { readonly upload: QueuedUpload; readonly queue: UploadQueue }) {
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

function AttachmentRow({ file, canWrite }: { readonly file: Attachment; readonly canWrite: boolean }) {
  const [isAsking, ask] = useState(false);
  const address = isStored(file.url) ? addressOfFile(file.url) : (addressElsewhere(file.url) ?? undefined);
  const isImage = previewKind({ ...file, isFolder: false }) === 'image';
  const toggle = async () => {
    try {
      await updateDocument('File', file.name, { is_private: file.isPrivate ? 0 : 1 });
      await refresh();
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
          <Icon name={isStored(file.url) ? 'file' : 'link'} />
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
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => ask(false)}
        title={t('Remove {name}?', { name: file.title })}
        action={t('Delete')}
        isDanger
        run={async () => {
          await deleteDocument('File', file.name);
          await refresh();
        }}
      />
    </li>
  );
}

function refresh(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keys.lists('File') });
}
