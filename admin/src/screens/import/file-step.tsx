import { useRef } from 'react';
import { formatBytes, formatPercent } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import type { QueuedUpload } from '../../data/uploads/upload-queue.ts';
import { Button } from '../../widgets/button.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Progress } from '../../widgets/feedback.tsx';
import { Muted, Row } from '../../widgets/layout.tsx';
import { useDropTarget } from '../files/dragged.ts';
import { FileInput } from '../files/file-input.tsx';
import css from './import.module.css';
import type { Setup } from './import-data.ts';
import { Step } from './step.tsx';
import { useUpload } from './use-upload.ts';

/** The file: chosen or dropped, and uploaded. */
export function FileStep({
  file,
  onFile,
}: {
  readonly file: Setup['file'] | null;
  readonly onFile: (file: Setup['file']) => void;
}) {
  const { upload, choose, retry, cancel } = useUpload(onFile);
  const input = useRef<HTMLInputElement>(null);
  const { isOver, handlers } = useDropTarget({
    onFiles: ({ files }) => choose([...files]),
    onMove: () => undefined,
  });
  return (
    <Step title={t('1. File')}>
      <div className={isOver ? `${css['zone']} ${css['over']}` : css['zone']} {...handlers}>
        <Button icon="upload" onClick={() => input.current?.click()}>
          {file ? t('Choose another file') : t('Choose a file')}
        </Button>
        <FileInput at={input} label={t('File to import')} onChoose={choose} />
        {file ? (
          <bdi>{file.name}</bdi>
        ) : (
          <span>{t('Or drop it here: CSV, Excel (XLSX), JSON or NDJSON.')}</span>
        )}
      </div>
      {upload && <Uploading {...{ upload, retry, cancel }} />}
    </Step>
  );
}

function Uploading({
  upload,
  retry,
  cancel,
}: {
  readonly upload: QueuedUpload;
  readonly retry: () => void;
  readonly cancel: () => void;
}) {
  const { phase, sent, error } = useStore(upload.state);
  const { bytes, fileName: name } = upload;
  const percent = bytes === 0 ? 0 : (100 * sent) / bytes;
  if (phase === 'done') return null;
  if (phase === 'failed') return <ErrorPanel error={error} onRetry={retry} />;
  return (
    <>
      <Progress
        value={percent}
        label={t('{name}: {percent}', { name, percent: formatPercent(percent, 0) })}
      />
      <Row isApart>
        <Muted isSmall>{t('{sent} of {size}', { sent: formatBytes(sent), size: formatBytes(bytes) })}</Muted>
        <Button onClick={cancel}>{t('Cancel')}</Button>
      </Row>
    </>
  );
}
