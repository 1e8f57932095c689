import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatBytes } from '../../base/format.ts';
import { t } from '../../base/i18n.ts';
import { ErrorPanel } from '../../widgets/error-panel.tsx';
import { Skeleton } from '../../widgets/feedback.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { Muted } from '../../widgets/layout.tsx';
import { SHOWN_BYTES, textQuery } from './file-data.ts';
import { addressOfFile, type FileItem, iconOf, previewKind } from './file-item.ts';
import css from './files.module.css';
import { scrolledAttributes } from './roles.ts';

/** Preview of a file. Active content is shown as text. */
export function Preview({ item }: { readonly item: FileItem }) {
  const [isBroken, setBroken] = useState(false);
  const kind = isBroken ? 'none' : previewKind(item);
  if (kind === 'image') {
    return (
      <div className={css['preview']}>
        <img
          src={addressOfFile(item.url, { side: 1024, fit: 'contain' })}
          alt={item.title}
          onError={() => setBroken(true)}
        />
      </div>
    );
  }
  if (kind === 'video' || kind === 'audio') {
    const Player = kind;
    return (
      <div className={css['preview']}>
        <Player
          src={addressOfFile(item.url)}
          controls
          preload="metadata"
          aria-label={item.title}
          onError={() => setBroken(true)}
        />
      </div>
    );
  }
  if (kind === 'text') return <TextPreview item={item} />;
  return <NoPreview item={item} />;
}

function NoPreview({ item }: { readonly item: FileItem }) {
  return (
    <div className={css['noPreview']}>
      <Icon name={iconOf(item)} size={36} />
      <Muted isSmall>{t('No preview for this file type')}</Muted>
    </div>
  );
}

function TextPreview({ item }: { readonly item: FileItem }) {
  const { data, error, refetch, isPending } = useQuery(textQuery(item));
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton height={200} />;
  if (data === null || data === undefined) return <NoPreview item={item} />;
  return (
    <>
      <pre
        className={css['text']}
        {...scrolledAttributes(t('Text of {name}', { name: item.title }))}
        dir="auto"
      >
        {data === '' ? t('(empty)') : data}
      </pre>
      {item.bytes > SHOWN_BYTES && (
        <Muted isSmall>{t('Shows the first {size}.', { size: formatBytes(SHOWN_BYTES) })}</Muted>
      )}
    </>
  );
}
