import { useState } from 'react';
import { Icon } from '../../widgets/icon.tsx';
import css from './file-browser.module.css';
import { addressOfFile, type FileItem, iconOf, isStored } from './file-item.ts';
import { FileName, type ShownFile, underOf, useFolderDrop } from './file-row.tsx';
import { cellAttributes } from './roles.ts';

/** A tile of the grid, with a thumbnail if there is one. */
export function FileTile({ id, index, item, count, isChosen, isActive }: ShownFile) {
  const { isOver, handlers } = useFolderDrop(item);
  return (
    <div
      {...handlers}
      id={id}
      {...cellAttributes(isChosen)}
      className={css['tile']}
      data-index={index}
      data-active={isActive || undefined}
      data-over={isOver || undefined}
      draggable={item !== undefined}
    >
      <span aria-hidden data-box className={css['tileBox']}>
        <span className={css['box']} data-on={isChosen || undefined}>
          {isChosen && <Icon name="check" size={12} />}
        </span>
      </span>
      {item ? (
        <>
          <div className={css['face']}>
            <Face item={item} />
          </div>
          <FileName item={item} />
          <span className={css['under']}>{underOf(item, count)}</span>
        </>
      ) : (
        <div className={css['face']} />
      )}
    </div>
  );
}

function Face({ item }: { readonly item: FileItem }) {
  const [isBroken, setBroken] = useState(false);
  if (item.thumbnail === '' || isBroken || !isStored(item.url)) return <Icon name={iconOf(item)} size={36} />;
  return (
    <img
      src={addressOfFile(item.url, { side: 256, fit: 'cover' })}
      alt=""
      loading="lazy"
      draggable={false}
      onError={() => setBroken(true)}
    />
  );
}
