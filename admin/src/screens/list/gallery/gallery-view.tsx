import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../../base/i18n.ts';
import type { ListQuery } from '../../../data/documents.ts';
import { orderText } from '../../../grid/list-search.ts';
import { useInlineSize } from '../../../grid/use-inline-size.ts';
import { useListTitles } from '../../../grid/use-list-titles.ts';
import { useExtent, useListWindow } from '../../../grid/use-list-window.ts';
import type { Meta } from '../../../meta/meta.ts';
import { EmptyState } from '../../../widgets/empty-state.tsx';
import { ErrorPanel } from '../../../widgets/error-panel.tsx';
import { askedOfCards, columnsOfCards, furtherLines } from '../cards/card-fields.ts';
import { CardFieldsButton } from '../cards/card-fields-button.tsx';
import { FieldPick, ViewBar } from '../cards/view-bar.tsx';
import type { ListViewProps } from '../list-view-props.ts';
import { useFreshLists } from '../use-fresh-lists.ts';
import css from './gallery.module.css';
import { columnsIn, GAP, TILE, tileAfter, tilesBetween } from './gallery-layout.ts';
import { type Gallery, galleryOf, imageFields } from './gallery-settings.ts';
import { GalleryTile } from './gallery-tile.tsx';

/** A list as a gallery: a tile with a picture for each document. */
export function View(props: ListViewProps) {
  const { bundle, fields, settings, onSettings, search, conditions } = props;
  const { meta } = bundle;
  const gallery = useMemo(() => galleryOf(settings, meta, fields), [settings, meta, fields]);
  useFreshLists(meta.name);
  const query = useMemo(
    (): ListQuery | null =>
      gallery && {
        ...conditions,
        fields: askedOfCards(meta, fields, gallery.cards, [gallery.image.fieldname]),
        ...(search.order.length > 0 ? { order_by: orderText(search.order) } : {}),
      },
    [conditions, meta, fields, gallery, search.order],
  );
  if (!gallery || !query)
    return (
      <EmptyState icon="image" title={t('No field for a gallery')}>
        {t('A gallery needs a field of type Attach Image.')}
      </EmptyState>
    );
  const images = imageFields(fields);
  return (
    <div className={css['view']}>
      <ViewBar>
        {images.length > 1 && (
          <FieldPick
            label={t('Image')}
            fields={images}
            value={gallery.image.fieldname}
            onChange={(image) => onSettings({ ...settings, image })}
          />
        )}
        <CardFieldsButton
          fields={fields}
          shown={gallery.cards}
          onChange={(cards) => onSettings({ ...settings, cards: cards ?? undefined })}
        />
      </ViewBar>
      <Tiles {...{ meta, gallery, query }} whenEmpty={props.whenEmpty} />
    </div>
  );
}

interface TilesProps {
  readonly meta: Meta;
  readonly gallery: Gallery;
  readonly query: ListQuery;
  readonly whenEmpty: ListViewProps['whenEmpty'];
}

function Tiles({ meta, gallery, query, whenEmpty }: TilesProps) {
  const holder = useRef<HTMLDivElement>(null);
  const columns = columnsIn(useInlineSize(holder));
  const tile = TILE + furtherLines(gallery.cards);
  const { first, last } = useTilesInView(holder, columns, tile);
  const extent = useExtent(JSON.stringify(query));
  const { rowAt, error, retry } = useListWindow(meta.name, query, { start: first, end: last }, extent);
  const { rows: count, isExact } = extent[0];
  const places = Array.from({ length: Math.max(0, Math.min(count, last) - first) }, (_, at) => first + at);
  const cards = useMemo(() => columnsOfCards(gallery.cards), [gallery.cards]);
  const { titleOf } = useListTitles(cards, places.map(rowAt));
  const { active, onKeyDown } = useTileKeys(holder, columns, count, tile);
  const isEmpty = isExact && count === 0;
  return (
    <div ref={holder} className={css['scroll']}>
      {error ? <ErrorPanel error={error} onRetry={retry} /> : null}
      {isEmpty ? whenEmpty : null}
      {count > 0 && (
        <ul
          className={css['tiles']}
          onKeyDown={onKeyDown}
          style={{
            blockSize: Math.ceil(count / columns) * tile,
            paddingBlockStart: (first / columns) * tile,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {places.map((place) => (
            <GalleryTile
              key={String(rowAt(place)?.['name'] ?? `#${place}`)}
              {...{ meta, gallery, place, count, titleOf }}
              height={tile - GAP}
              row={rowAt(place)}
              isTabStop={place === Math.max(first, Math.min(active, last - 1, count - 1))}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

/** The tiles in view. Renders only when a row of tiles enters or leaves. */
function useTilesInView(holder: RefObject<HTMLDivElement | null>, columns: number, tile: number) {
  const [range, setRange] = useState(tilesBetween(0, 1_000, columns, tile));
  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const measure = () => {
      const next = tilesBetween(element.scrollTop, element.scrollTop + element.clientHeight, columns, tile);
      setRange((before) => (before.first === next.first && before.last === next.last ? before : next));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [holder, columns, tile]);
  return range;
}

/** Arrow keys go from tile to tile. A tile out of view gets the focus when scrolling has mounted it. */
function useTileKeys(
  holder: RefObject<HTMLDivElement | null>,
  columns: number,
  count: number,
  tileHeight: number,
) {
  const [active, setActive] = useState(0);
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    const tile = wanted.current === null ? null : tileAt(holder.current, wanted.current);
    if (!tile) return;
    wanted.current = null;
    tile.querySelector('a')?.focus();
    tile.scrollIntoView({ block: 'nearest' });
  });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const tile =
      event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-place]') : null;
    if (!tile || event.ctrlKey || event.metaKey || event.altKey) return;
    const ahead = getComputedStyle(tile).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const isAcross = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
    const key = isAcross ? (event.key === ahead ? 'next' : 'previous') : event.key;
    const to = tileAfter(key, Number(tile.dataset['place']), columns, count);
    if (to === null) return;
    event.preventDefault();
    wanted.current = to;
    setActive(to);
    if (!tileAt(holder.current, to) && holder.current)
      holder.current.scrollTop = Math.floor(to / columns) * tileHeight;
  };
  return { active, onKeyDown };
}

function tileAt(holder: HTMLElement | null, place: number): HTMLElement | null {
  return holder?.querySelector<HTMLElement>(`[data-place="${place}"]`) ?? null;
}
