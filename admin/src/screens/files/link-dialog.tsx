import { useState } from 'react';
import { formatDatetime } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useTask } from '../../base/use-task.ts';
import { Button } from '../../widgets/button.tsx';
import { CopyButton } from '../../widgets/copy-button.tsx';
import { Modal } from '../../widgets/dialogs.tsx';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Muted, Row, Stack } from '../../widgets/layout.tsx';
import { Select } from '../../widgets/select.tsx';
import { makeLink } from './file-data.ts';
import type { FileItem } from './file-item.ts';
import css from './files.module.css';

const HOUR = 60 * 60;

/** Creates a temporary link that opens a private file for anyone. */
export function LinkDialog({ item, onClose }: { readonly item: FileItem; readonly onClose: () => void }) {
  const [life, setLife] = useState(String(24 * HOUR));
  const [link, setLink] = useState<Awaited<ReturnType<typeof makeLink>> | null>(null);
  const { isBusy, error, run } = useTask();
  const make = () => run(async () => setLink(await makeLink(item.name, Number(life))));
  return (
    <Modal isOpen onClose={onClose} title={t('Link to a private file')} width={560}>
      <Stack>
        <span>
          {t('Anyone with the link can read the file without signing in while you have access to it.')}
        </span>
        <Row gap={3}>
          <Select
            label={t('Expires after')}
            value={life}
            onChange={(next) => setLife(next ?? String(HOUR))}
            choices={[
              { value: String(HOUR), label: t('1 hour') },
              { value: String(24 * HOUR), label: t('1 day') },
              { value: String(7 * 24 * HOUR), label: t('1 week') },
            ]}
          />
        </Row>
        {error !== null && <ErrorPanel error={error} />}
        {link && (
          <div className={css['linkLine']}>
            <code dir="ltr">{link.url}</code>
            <CopyButton text={link.url} label={t('Copy the link')} />
          </div>
        )}
        {link && <Muted isSmall>{t('Until {time}', { time: formatDatetime(link.expires) })}</Muted>}
        <Row isApart>
          <Button onClick={onClose}>{t('Close')}</Button>
          <Button kind="primary" isBusy={isBusy} onClick={make}>
            {link ? t('Create another link') : t('Create link')}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
