import { formatBytes, formatPercent } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import type { QueuedUpload, UploadState } from '../../data/uploads/upload-queue.ts';
import { IconButton } from '../../widgets/button.tsx';
import { messagesOf } from '../../widgets/error-panel.tsx';
import { Progress } from '../../widgets/feedback.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { Truncate } from '../../widgets/layout.tsx';
import css from './upload-panel.module.css';
import { uploads } from './uploads.ts';

/** One upload. Only this row re-renders on progress. */
export function UploadRow({ upload, top }: { readonly upload: QueuedUpload; readonly top: number }) {
  const state = useStore(upload.state);
  const { phase, sent } = state;
  const { fileName, bytes, id } = upload;
  const percent = bytes === 0 ? 0 : (100 * sent) / bytes;
  return (
    <li className={css['row']} style={{ top }}>
      <div className={css['text']}>
        <Truncate text={fileName} />
        <span className={phase === 'failed' ? css['failed'] : css['said']} title={saidOf(upload, state)}>
          {saidOf(upload, state)}
        </span>
        {(phase === 'uploading' || phase === 'paused') && (
          <Progress
            value={percent}
            label={t('{name}: {percent}', { name: fileName, percent: formatPercent(percent, 0) })}
          />
        )}
      </div>
      {phase === 'done' && (
        <span className={css['done']}>
          <Icon name="check" />
        </span>
      )}
      {(phase === 'uploading' || phase === 'waiting') && (
        <IconButton
          isSmall
          icon="pause"
          label={t('Pause {name}', { name: fileName })}
          onClick={() => uploads.pause(id)}
        />
      )}
      {phase === 'paused' && (
        <IconButton
          isSmall
          icon="play"
          label={t('Resume {name}', { name: fileName })}
          onClick={() => uploads.resume(id)}
        />
      )}
      {phase === 'failed' && (
        <IconButton
          isSmall
          icon="refresh"
          label={t('Try {name} again', { name: fileName })}
          onClick={() => uploads.resume(id)}
        />
      )}
      {phase !== 'done' && (
        <IconButton
          isSmall
          icon="close"
          label={t('Cancel the upload of {name}', { name: fileName })}
          onClick={() => void uploads.cancel(id)}
        />
      )}
    </li>
  );
}

function saidOf({ bytes, target }: QueuedUpload, { phase, sent, error }: UploadState): string {
  if (phase === 'failed') return error ? messagesOf(error).join(' ') : t('Something went wrong');
  if (phase === 'done' && target.folder === '') return formatBytes(bytes);
  if (phase === 'done') return t('{size}, in {folder}', { size: formatBytes(bytes), folder: target.folder });
  if (phase === 'waiting') return t('Waiting, {size}', { size: formatBytes(bytes) });
  const far = t('{sent} of {size}', { sent: formatBytes(sent), size: formatBytes(bytes) });
  return phase === 'paused' ? t('Paused at {far}', { far }) : far;
}
