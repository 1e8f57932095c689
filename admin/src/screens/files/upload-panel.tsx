import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { formatPercent } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { IconButton } from '../../widgets/button.tsx';
import { ConfirmDialog } from '../../widgets/confirm-dialog.tsx';
import { Progress } from '../../widgets/feedback.tsx';
import { Unfinished } from './unfinished.tsx';
import css from './upload-panel.module.css';
import { UploadRow } from './upload-row.tsx';
import { panelShown, uploads } from './uploads.ts';

const LINE = 52;
const SEEN = 5;

/** The upload panel in the corner: progress, and buttons to pause and cancel. */
export function UploadPanel() {
  const files = useStore(uploads.uploads);
  useEffect(() => {
    panelShown.set(true);
    return () => panelShown.set(false);
  }, []);
  return (
    <div className={css['corner']}>
      <Unfinished />
      {files.length > 0 && <Queue />}
    </div>
  );
}

function Queue() {
  const files = useStore(uploads.uploads);
  const [isFolded, setFolded] = useState(false);
  const [isEnding, setEnding] = useState(false);
  const { open } = useStore(uploads.totals);
  const close = () => (open > 0 ? setEnding(true) : void uploads.cancelAll().then(() => uploads.clearDone()));
  return (
    <section className={css['panel']} aria-label={t('Uploads')}>
      <div className={css['panelHead']}>
        <Heading />
        <PauseAll />
        <IconButton
          isSmall
          icon={isFolded ? 'up' : 'down'}
          label={isFolded ? t('Show the files') : t('Hide the files')}
          aria-expanded={!isFolded}
          onClick={() => setFolded(!isFolded)}
        />
        <IconButton isSmall icon="close" label={t('Close uploads')} onClick={close} />
      </div>
      <Whole />
      {!isFolded && <Rows count={files.length} />}
      <ConfirmDialog
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        title={t('Cancel uploads?')}
        action={t('Cancel uploads')}
        dismissal={t('Keep uploading')}
        isDanger
        run={async () => {
          await uploads.cancelAll();
          uploads.clearDone();
        }}
      >
        {tn(open, '{count} file is still uploading.', '{count} files are still uploading.')}
      </ConfirmDialog>
    </section>
  );
}

function Heading() {
  const { count, done, failed, open, paused } = useStore(uploads.totals);
  const text =
    open > 0
      ? t('Uploading: {done} of {count} done', { done, count })
      : failed > 0
        ? tn(failed, '{count} file failed to upload', '{count} files failed to upload')
        : paused > 0
          ? tn(paused, '{count} upload is paused', '{count} uploads are paused')
          : tn(done, '{count} file uploaded', '{count} files uploaded');
  return <h2 className={css['heading']}>{text}</h2>;
}

function PauseAll() {
  const { open, paused } = useStore(uploads.totals);
  if (open > 0)
    return (
      <IconButton isSmall icon="pause" label={t('Pause all uploads')} onClick={() => uploads.pauseAll()} />
    );
  if (paused > 0)
    return (
      <IconButton isSmall icon="play" label={t('Resume all uploads')} onClick={() => uploads.resumeAll()} />
    );
  return null;
}

function Whole() {
  const { bytes, sent, open } = useStore(uploads.totals);
  if (open === 0) return null;
  const percent = bytes === 0 ? 0 : (100 * sent) / bytes;
  return (
    <div className={css['whole']}>
      <Progress value={percent} label={t('All uploads: {percent}', { percent: formatPercent(percent, 0) })} />
    </div>
  );
}

function Rows({ count }: { readonly count: number }) {
  const scroller = useRef<HTMLUListElement>(null);
  const files = useStore(uploads.uploads);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 2,
  });
  return (
    <ul
      ref={scroller}
      className={css['rows']}
      style={{ height: Math.min(count, SEEN) * LINE }}
      tabIndex={count > SEEN ? 0 : undefined}
      aria-label={t('Uploading files')}
    >
      <li aria-hidden style={{ height: rows.getTotalSize() }} />
      {rows.getVirtualItems().map(({ index, start }) => {
        const upload = files[index];
        return upload && <UploadRow key={upload.id} upload={upload} top={start} />;
      })}
    </ul>
  );
}
