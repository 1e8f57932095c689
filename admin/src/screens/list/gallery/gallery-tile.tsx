import { useState } from 'react';
import { PathLink } from '../../../base/navigation.tsx';
import { paths } from '../../../base/paths.ts';
import type { Row } from '../../../grid/list-requests.ts';
import type { CellProps } from '../../../meta/field-registry.ts';
import type { Meta } from '../../../meta/meta.ts';
import { Icon } from '../../../widgets/icon.tsx';
import { addressOfFile, isStored } from '../../files/file-item.ts';
import { titleOfRow } from '../cards/card-fields.ts';
import { CardValues } from '../cards/card-values.tsx';
import css from './gallery.module.css';
import type { Gallery } from './gallery-settings.ts';

/** Pixels of a thumbnail: sharp on screens with two dots for each. */
const SIDE = 480;

/** A document as a tile: its picture, title and some values. */
export function GalleryTile({
  meta,
  gallery,
  row,
  place,
  count,
  height,
  isTabStop,
  titleOf,
}: {
  readonly meta: Meta;
  readonly gallery: Gallery;
  /** Undefined while it loads. */
  readonly row: Row | undefined;
  readonly place: number;
  readonly count: number;
  /** In pixels. */
  readonly height: number;
  readonly isTabStop: boolean;
  readonly titleOf: CellProps['titleOf'];
}) {
  if (!row) return <li className={css['tile']} style={{ blockSize: height }} aria-hidden="true" />;
  return (
    <li
      className={css['tile']}
      style={{ blockSize: height }}
      aria-posinset={place + 1}
      aria-setsize={count}
      data-place={place}
    >
      <PathLink
        className={css['open']}
        to={paths.record(meta.name, String(row['name']))}
        tabIndex={isTabStop ? 0 : -1}
      >
        <Face url={String(row[gallery.image.fieldname] ?? '')} />
        <span className={css['title']} dir="auto">
          {titleOfRow(meta, row)}
        </span>
      </PathLink>
      <span className={css['values']}>
        <CardValues fields={gallery.cards} row={row} titleOf={titleOf} />
      </span>
    </li>
  );
}

// A picture of another host is not loaded: the content policy forbids it.
function Face({ url }: { readonly url: string }) {
  const [broken, setBroken] = useState('');
  const isShown = isStored(url) && broken !== url;
  return (
    <span className={css['face']}>
      {isShown ? (
        <img
          src={addressOfFile(url, { side: SIDE, fit: 'cover' })}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setBroken(url)}
        />
      ) : (
        <Icon name="image" size={32} />
      )}
    </span>
  );
}
