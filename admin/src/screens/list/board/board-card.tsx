import { memo, useEffect, useRef } from 'react';
import { t } from '../../../base/i18n.ts';
import { PathLink } from '../../../base/navigation.tsx';
import { paths } from '../../../base/paths.ts';
import { StateCell } from '../../../grid/list-cells.tsx';
import type { Row } from '../../../grid/list-requests.ts';
import type { CellProps } from '../../../meta/field-registry.ts';
import type { Field, Meta } from '../../../meta/meta.ts';
import { IconButton } from '../../../widgets/button.tsx';
import { Menu, type MenuItem } from '../../../widgets/menu.tsx';
import { assigneesOf, titleOfRow } from '../cards/card-fields.ts';
import { Assignees, CardValues } from '../cards/card-values.tsx';
import css from './board.module.css';

export interface BoardCardProps {
  readonly meta: Meta;
  readonly fields: readonly Field[];
  /** Undefined while it loads. */
  readonly row: Row | undefined;
  readonly place: number;
  readonly length: number;
  /** Pixels from the top of the column. */
  readonly top: number;
  readonly height: number;
  readonly isMovable: boolean;
  readonly isTabStop: boolean;
  readonly isHeld: boolean;
  readonly titleOf: CellProps['titleOf'];
  /** Changes with the titles of linked documents. */
  readonly titles: string;
  readonly onMenu: (place: number) => void;
  /** The columns to move to, while the menu of the card is open. */
  readonly menu: readonly MenuItem[] | null;
  readonly onMenuClose: () => void;
}

/** A document on a board: its title, some values, and whom it is assigned to. */
export const BoardCard = memo(function BoardCard(props: BoardCardProps) {
  const { meta, fields, row, place, length, top, height, isMovable, isTabStop, isHeld, titleOf } = props;
  if (!row)
    return (
      <li
        className={css['card']}
        data-bone
        style={{ insetBlockStart: top, blockSize: height }}
        aria-hidden="true"
      />
    );
  const name = String(row['name']);
  const docstatus = Number(row['docstatus'] ?? 0);
  return (
    <li
      className={css['card']}
      style={{ insetBlockStart: top, blockSize: height }}
      aria-posinset={place + 1}
      aria-setsize={length}
      data-card={name}
      data-place={place}
      data-movable={isMovable || undefined}
      data-held={isHeld || undefined}
    >
      <PathLink
        className={css['title']}
        to={paths.record(meta.name, name)}
        tabIndex={isTabStop ? 0 : -1}
        draggable={false}
      >
        <span dir="auto">{titleOfRow(meta, row)}</span>
      </PathLink>
      <span className={css['values']}>
        <CardValues fields={fields} row={row} titleOf={titleOf} />
      </span>
      <span className={css['foot']}>
        <span className={css['name']}>{meta.title_field === '' ? '' : name}</span>
        {docstatus !== 0 && <StateCell docstatus={docstatus} />}
        <Assignees users={assigneesOf(meta, row)} />
      </span>
      {isMovable && <MoveButton {...props} title={titleOfRow(meta, row)} />}
    </li>
  );
});

// The menu is mounted only while it is open: a board has many cards.
function MoveButton({
  title,
  place,
  isTabStop,
  menu,
  onMenu,
  onMenuClose,
}: Pick<BoardCardProps, 'place' | 'isTabStop' | 'menu' | 'onMenu' | 'onMenuClose'> & {
  readonly title: string;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !menu) button.current?.focus();
    wasOpen.current = menu !== null;
  }, [menu]);
  const label = t('Move {title}', { title });
  const target = (
    <IconButton
      ref={button}
      isSmall
      icon="more"
      hasTooltip={false}
      tabIndex={isTabStop ? 0 : -1}
      label={label}
      aria-haspopup="menu"
      onClick={() => !menu && onMenu(place)}
    />
  );
  return (
    <span className={css['menu']} data-open={menu !== null || undefined}>
      {menu ? <Menu startsOpen target={target} items={menu} label={label} onClose={onMenuClose} /> : target}
    </span>
  );
}
