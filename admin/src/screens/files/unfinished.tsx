import { queryOptions, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { toast } from '../../base/toasts.ts';
import { readMethod } from '../../data/api.ts';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import { browserTransport } from '../../data/uploads/browser-transport.ts';
import { endTusUpload, TUS_PATH } from '../../data/uploads/tus-upload.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Truncate } from '../../widgets/layout.tsx';
import css from './upload-panel.module.css';
import { uploads } from './uploads.ts';

interface PartialUpload {
  readonly upload: string;
  readonly file_name: string | null;
  readonly bytes: number;
  readonly received: number;
  readonly file: string | null;
}

const METHOD = 'chancery.file.uploads';
const partialsQuery = queryOptions({
  queryKey: keys.method(METHOD),
  queryFn: ({ signal }) => readMethod<readonly PartialUpload[]>(METHOD, {}, { signal }),
  staleTime: 5_000,
});

/**
 * Interrupted uploads of earlier visits. A page cannot keep a file, so the user chooses it again and the
 * upload resumes.
 */
export function Unfinished() {
  const { data } = useQuery(partialsQuery);
  const running = useStore(uploads.uploads);
  // The list below shows uploads of this page.
  const found = (data ?? []).filter(
    ({ upload, file }) => file === null && !uploads.knows(`${TUS_PATH}/${upload}`),
  );
  if (found.length === 0 || running.length > 0) return null;
  return (
    <section className={css['panel']} aria-label={t('Unfinished uploads')}>
      <div className={css['panelHead']}>
        <h2 className={css['heading']}>{t('Unfinished uploads')}</h2>
      </div>
      <ul className={css['plain']}>
        {found.map((one) => (
          <Line key={one.upload} of={one} />
        ))}
      </ul>
    </section>
  );
}

function Line({ of }: { readonly of: PartialUpload }) {
  const input = useRef<HTMLInputElement>(null);
  const name = of.file_name ?? t('File');
  const url = `${TUS_PATH}/${of.upload}`;
  const goOn = (file: File | undefined) => {
    if (!file) return;
    if (file.size !== of.bytes || file.name.normalize('NFC') !== name.normalize('NFC')) {
      toast('error', t('Wrong file. Choose {name}', { name }));
      return;
    }
    uploads.goOn(file, url);
    void queryClient.invalidateQueries({ queryKey: ['method', METHOD] });
  };
  const discard = async () => {
    try {
      await endTusUpload(url, browserTransport);
    } catch (error) {
      tellFailure(error);
    }
    await queryClient.invalidateQueries({ queryKey: ['method', METHOD] });
  };
  return (
    <li className={css['line']}>
      <div className={css['text']}>
        <Truncate text={name} />
        <span className={css['said']}>
          {t('{sent} of {size}', { sent: formatBytes(of.received), size: formatBytes(of.bytes) })}
        </span>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('Choose {name} again', { name })}
        onChange={(event) => {
          goOn(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <Button onClick={() => input.current?.click()}>{t('Choose again…')}</Button>
      <IconButton isSmall icon="close" label={t('Discard {name}', { name })} onClick={() => void discard()} />
    </li>
  );
}
