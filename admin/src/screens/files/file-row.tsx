import { formatBytes, formatDatetime, formatRelative } from '../../base/format.ts';
import { t, tn } from '../../base/i18n.ts';
import { PathLink } from '../../base/navigation.tsx';
import { paths } from '../../base/paths.ts';
import { Icon } from '../../widgets/icon.tsx';
import { useDropTarget } from './dragged.ts';
import { useFileActions } from './file-actions.ts';
import css from './file-browser.module.css';
import { type FileItem, iconOf, isStored } from './file-item.ts';
import { cellAttributes, rowAttributes } from './roles.ts';

/** One file or folder. */
export interface ShownFile {
  readonly id: string;
  readonly index: number;
  /** Undefined while it loads. */
  readonly item: FileItem | undefined;
  readonly count: { readonly all: number } | undefined;
  readonly isChosen: boolean;
  readonly isActive: boolean;
}

interface FileRowProps extends ShownFile {
  readonly top: number;
  readonly isNarrow: boolean;
  readonly hasFolder: boolean;
}

/** A row of the list. */
export function FileRow({
  id,
  index,
  item,
  count,
  isChosen,
  isActive,
  top,
  isNarrow,
  hasFolder,
}: FileRowProps) {
  const { isOver, handlers } = useFolderDrop(item);
  return (
    <div
      {...handlers}
      id={id}
      {...rowAttributes(index, isChosen)}
      className={isNarrow ? css['card'] : css['row']}
      data-index={index}
      data-active={isActive || undefined}
      data-over={isOver || undefined}
      draggable={item !== undefined}
      style={{ top }}
    >
      <Box isChosen={isChosen} />
      <div {...cellAttributes()} className={css['name']}>
        {item ? <FileName item={item} /> : <span className={css['bone']} />}
        {isNarrow && item && <span className={css['under']}>{underOf(item, count)}</span>}
      </div>
      {!isNarrow && (
        <>
          <div {...cellAttributes()} className={css['atEnd']}>
            {item && sizeOf(item, count)}
          </div>
          <div {...cellAttributes()}>{item && <Access item={item} />}</div>
          <div {...cellAttributes()} className={css['clip']}>
            {item && (hasFolder ? <FolderLink folder={item.folder} /> : <AttachedTo item={item} />)}
          </div>
          <div {...cellAttributes()} className={css['muted']}>
            {item && (
              <time dateTime={item.modified} title={formatDatetime(item.modified, 'full')}>
                {formatRelative(item.modified)}
              </time>
            )}
          </div>
        </>
      )}
    </div>
  );
}

/** A drop on a folder moves or uploads into it. */
export function useFolderDrop(item: FileItem | undefined) {
  const actions = useFileActions();
  const folder = item?.isFolder ? item.name : null;
  return useDropTarget(
    {
      onFiles: (transfer) => folder !== null && actions.upload(folder, transfer),
      onMove: (names) => folder !== null && actions.move(folder, names),
    },
    folder !== null,
  );
}

/** The checkbox of an item. It is only visual; the row tells its state to screen readers. */
export function Box({ isChosen }: { readonly isChosen: boolean }) {
  return (
    <div {...cellAttributes()} data-box className={css['boxCell']}>
      <span aria-hidden className={css['box']} data-on={isChosen || undefined}>
        {isChosen && <Icon name="check" size={12} />}
      </span>
    </div>
  );
}

/** The name as a link to the folder or to the file's details. */
export function FileName({ item }: { readonly item: FileItem }) {
  const actions = useFileActions();
  const to = item.isFolder
    ? paths.files({ folder: item.name })
    : paths.files({ folder: item.folder, open: item.name });
  return (
    <span className={css['nameLine']}>
      <span className={item.isFolder ? css['folderIcon'] : css['fileIcon']}>
        <Icon name={iconOf(item)} />
      </span>
      <PathLink
        to={to}
        tabIndex={-1}
        draggable={false}
        className={css['link']}
        title={item.title}
        dir="auto"
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
          event.preventDefault();
          actions.open(item);
        }}
      >
        {item.title}
      </PathLink>
    </span>
  );
}

/** Access to the file as text and icon. */
export function Access({ item }: { readonly item: FileItem }) {
  if (item.isFolder) return null;
  const word = item.isPrivate ? t('Private') : t('Public');
  return (
    <span className={css['access']} data-private={item.isPrivate || undefined}>
      <Icon name={item.isPrivate ? 'lock' : 'globe'} size={14} />
      {word}
    </span>
  );
}

function AttachedTo({ item: { attachedTo } }: { readonly item: FileItem }) {
  if (!attachedTo) return null;
  const { doctype, name } = attachedTo;
  const text = name === '' ? doctype : `${doctype}: ${name}`;
  return (
    <PathLink
      to={name === '' ? paths.list(doctype) : paths.record(doctype, name)}
      tabIndex={-1}
      className={css['link']}
      title={text}
      dir="auto"
    >
      {text}
    </PathLink>
  );
}

function FolderLink({ folder }: { readonly folder: string }) {
  return (
    <PathLink to={paths.files({ folder })} tabIndex={-1} className={css['link']} title={folder} dir="auto">
      {folder}
    </PathLink>
  );
}

function sizeOf(item: FileItem, count: ShownFile['count']): string {
  if (item.isFolder) return count ? tn(count.all, '{count} item', '{count} items') : '';
  return isStored(item.url) ? formatBytes(item.bytes) : t('Link');
}

/** Details of a file on a narrow screen, below its name. */
export function underOf(item: FileItem, count: ShownFile['count']): string {
  const access = item.isFolder ? '' : item.isPrivate ? t('Private') : t('Public');
  return [sizeOf(item, count), access, formatRelative(item.modified)].filter(Boolean).join(' · ');
}
