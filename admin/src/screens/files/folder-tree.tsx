import { useQueries, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { formatNumber } from '../../base/format.ts';
import { isRightToLeft, tn, useLanguage } from '../../base/i18n.ts';
import { Icon } from '../../widgets/icon.tsx';
import { useDropTarget } from './dragged.ts';
import { useFileActions } from './file-actions.ts';
import { countsQuery, type FolderCount, subfoldersQuery } from './file-data.ts';
import { HOME, pathTo } from './file-item.ts';
import css from './folder-tree.module.css';
import { treeItemAttributes } from './roles.ts';
import { type TreeNode, treeMove, visibleNodes } from './tree-model.ts';

const LINE = 30;
const ROOT = { path: HOME, title: HOME };

interface FolderTreeProps {
  readonly label: string;
  /** The current or selected folder. */
  readonly current: string;
  readonly onChoose: (folder: string) => void;
  /** In a dialog: the tree is the first part to have the focus. */
  readonly takesFocus?: boolean;
}

/** The tree of folders. It is a single tab stop; arrow keys move within it. */
export function FolderTree({ label, current, onChoose, takesFocus }: FolderTreeProps) {
  const treeId = useId();
  const isRtl = isRightToLeft(useLanguage());
  const scroller = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([HOME]));
  const [active, setActive] = useState(current);
  useEffect(() => {
    setActive(current);
    const above = pathTo(current).slice(0, -1);
    setOpen((before) =>
      above.every(({ path }) => before.has(path))
        ? before
        : new Set([...before, ...above.map(({ path }) => path)]),
    );
  }, [current]);
  const { nodes, counts } = useNodes(open);
  const at = Math.max(
    0,
    nodes.findIndex((node) => node.path === active),
  );
  const rows = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 6,
  });
  const unfold = (path: string, isOpen: boolean) => {
    const next = new Set(open);
    if (isOpen) next.add(path);
    else next.delete(path);
    setOpen(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = treeMove(nodes, at, event.key, isRtl);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    if ('open' in move) unfold(move.open, true);
    else if ('close' in move) unfold(move.close, false);
    else if ('choose' in move) onChoose(move.choose);
    else {
      setActive(nodes[move.to]?.path ?? active);
      rows.scrollToIndex(move.to);
    }
  };
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label={label}
      tabIndex={0}
      data-autofocus={takesFocus}
      aria-activedescendant={nodes.length > 0 ? `${treeId}-${at}` : undefined}
      className={css['tree']}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const node = nodes[index];
          return (
            node && (
              <Folder
                key={node.path}
                id={`${treeId}-${index}`}
                node={node}
                top={start}
                count={counts.get(node.path)}
                isCurrent={node.path === current}
                isActive={index === at}
                onChoose={() => onChoose(node.path)}
                onFold={() => unfold(node.path, !node.isOpen)}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

function useNodes(open: ReadonlySet<string>) {
  const paths = useMemo(() => [...open], [open]);
  const results = useQueries({ queries: paths.map((path) => subfoldersQuery(path)) });
  const below = new Map(paths.map((path, index) => [path, results[index]?.data] as const));
  const known = [HOME, ...[...below.values()].flatMap((folders) => folders?.map(({ path }) => path) ?? [])];
  const asked = known.slice(0, 1_000);
  const { data: counts = NO_COUNTS, isPlaceholderData } = useQuery({
    ...countsQuery(asked),
    placeholderData: (before) => before,
  });
  // The answer leaves out empty folders. Until it has come, a folder that it was asked about may have children.
  const counted = new Set(counts === NO_COUNTS || isPlaceholderData ? [] : asked);
  const foldersIn = (path: string) => counts.get(path)?.folders ?? (counted.has(path) ? 0 : undefined);
  return { nodes: visibleNodes(ROOT, open, (path) => below.get(path), foldersIn), counts };
}

const NO_COUNTS: ReadonlyMap<string, FolderCount> = new Map();

interface FolderProps {
  readonly id: string;
  readonly node: TreeNode;
  readonly top: number;
  readonly count: FolderCount | undefined;
  readonly isCurrent: boolean;
  readonly isActive: boolean;
  readonly onChoose: () => void;
  readonly onFold: () => void;
}

function Folder({ id, node, top, count, isCurrent, isActive, onChoose, onFold }: FolderProps) {
  const actions = useFileActions();
  const { isOver, handlers } = useDropTarget({
    onFiles: (transfer) => actions.upload(node.path, transfer),
    onMove: (names) => actions.move(node.path, names),
  });
  const total = count?.all ?? 0;
  return (
    <div
      {...handlers}
      id={id}
      {...treeItemAttributes(node, isCurrent, onChoose)}
      className={css['folder']}
      data-active={isActive || undefined}
      data-over={isOver || undefined}
      style={{ top, paddingInlineStart: 4 + (node.level - 1) * 14 }}
    >
      <span
        aria-hidden
        className={css['fold']}
        data-open={node.isOpen || undefined}
        onClick={(event) => {
          if (!node.hasChildren) return;
          event.stopPropagation();
          onFold();
        }}
      >
        {node.hasChildren && <Icon name="end" size={12} />}
      </span>
      <Icon name="folder" />
      <span className={css['title']} title={node.title} dir="auto">
        {node.title}
      </span>
      {total > 0 && (
        <span className={css['count']}>
          <span aria-hidden>{formatNumber(total)}</span>
          <span className="visually-hidden">{tn(total, '{count} item', '{count} items')}</span>
        </span>
      )}
    </div>
  );
}
