import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { t } from '../../../base/i18n.ts';
import { useStore } from '../../../base/store.ts';
import { knownBoot } from '../../../data/boot.ts';
import { newUploadQueue } from '../../../data/uploads/browser-queue.ts';
import type { UploadQueue } from '../../../data/uploads/upload-queue.ts';
import { may } from '../../../meta/permissions.ts';
import { Button } from '../../../widgets/button.tsx';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { Skeleton } from '../../../widgets/feedback.tsx';
import { Muted } from '../../../widgets/layout.tsx';
import { AttachmentRow, refreshAttachments, UploadRow } from './attachment-rows.tsx';
import css from './beside.module.css';
import { attachmentsQuery } from './beside-data.ts';
import { Part, type RailPartProps } from './rail-part.tsx';

/** The attached files. Settings have none. */
export function AttachmentsPart({ bundle, doc, canWrite }: RailPartProps) {
  if (bundle.meta.issingle || !may('File', 'read')) return null;
  return (
    <Part title={t('Attachments')}>
      <Attachments doctype={doc.doctype} name={doc.name} canWrite={canWrite} />
    </Part>
  );
}

interface AttachmentsProps {
  readonly doctype: string;
  readonly name: string;
  readonly canWrite: boolean;
}

/**
 * Files attached to the document, added by drop or file input. They are private unless the user publishes
 * them.
 */
function Attachments({ doctype, name, canWrite }: AttachmentsProps) {
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
    void refreshAttachments();
  });
  return queue;
}
