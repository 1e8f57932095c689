import { ErrorPanel } from '../../widgets/error-panel.tsx';
import css from './file-browser.module.css';
import type { FileBrowserProps } from './file-browser-props.ts';
import { FileHeader } from './file-header.tsx';
import { FileRow } from './file-row.tsx';
import { FileTile } from './file-tile.tsx';
import { gridAttributes, rowAttributes } from './roles.ts';
import { useFileGrid } from './use-file-grid.ts';

/** Contents of a folder as a virtualized list or grid of tiles. It is a single tab stop. */
export function FileBrowser(props: FileBrowserProps) {
  const grid = useFileGrid(props);
  const { search } = props;
  if (grid.window.error !== null) return <ErrorPanel error={grid.window.error} onRetry={grid.window.retry} />;
  if (grid.count === 0) return <>{props.whenEmpty}</>;
  return (
    <div className={css['frame']}>
      {!grid.isTiles && !grid.isNarrow && (
        <FileHeader sort={search.sort} onSort={props.onSort} hasFolder={search.text !== ''} />
      )}
      <div
        ref={grid.scroller}
        {...gridAttributes(props.label, grid.lines, grid.window.isFetching, grid.active)}
        {...grid.handlers}
        className={css['scroller']}
      >
        <div role="presentation" style={{ height: grid.rows.getTotalSize(), position: 'relative' }}>
          {grid.isTiles
            ? grid.shown.map((line) => <TileLine key={line.key} grid={grid} line={line} />)
            : grid.shown.map((line) => (
                <FileRow
                  key={line.key}
                  {...grid.shared(line.index)}
                  top={line.start}
                  isNarrow={grid.isNarrow}
                  hasFolder={search.text !== ''}
                />
              ))}
        </div>
      </div>
    </div>
  );
}

function TileLine({
  grid,
  line,
}: {
  readonly grid: ReturnType<typeof useFileGrid>;
  readonly line: { readonly index: number; readonly start: number };
}) {
  const { columns, indices, shared } = grid;
  return (
    <div
      {...rowAttributes(line.index)}
      className={css['tiles']}
      style={{ top: line.start, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {indices
        .filter((index) => Math.floor(index / columns) === line.index)
        .map((index) => (
          <FileTile key={index} {...shared(index)} />
        ))}
    </div>
  );
}
