import '@mantine/core/styles/Menu.css';
import { Menu as MantineMenu } from '@mantine/core';
import type { ReactElement } from 'react';
import { Icon, type IconName } from './icon.tsx';
import { Keys } from './kbd.tsx';

/** A menu item, or a separator. */
export type MenuItem =
  | {
      readonly label: string;
      readonly run: () => void;
      readonly icon?: IconName;
      readonly isDanger?: boolean;
      readonly isDisabled?: boolean;
      /** Set for toggles and single choices: a check mark replaces the icon. */
      readonly isChecked?: boolean;
      readonly keys?: string;
    }
  | { readonly heading: string }
  | 'divider';

export interface MenuProps {
  /** The button that opens it. */
  readonly target: ReactElement;
  readonly items: readonly (MenuItem | null | false)[];
  readonly position?: 'bottom-start' | 'bottom-end' | 'top-start' | 'top-end';
  /** Label of the menu if the button's text does not name it. */
  readonly label?: string;
  /** Open from the start; the button then needs no press. */
  readonly startsOpen?: boolean;
  readonly onClose?: () => void;
}

/** A menu of actions below a button. Mounted only while open. Supports arrow keys, letters and Escape. */
export function Menu({
  target,
  items,
  position = 'bottom-end',
  label,
  startsOpen = false,
  onClose,
}: MenuProps) {
  return (
    <MantineMenu
      position={position}
      shadow="md"
      width="max-content"
      transitionProps={{ duration: 0 }}
      zIndex={350}
      withInitialFocusPlaceholder={false}
      defaultOpened={startsOpen}
      onClose={onClose}
    >
      <MantineMenu.Target>{target}</MantineMenu.Target>
      <MantineMenu.Dropdown aria-label={label} style={{ maxBlockSize: '70vh', overflowY: 'auto' }}>
        {items.map(itemOf)}
      </MantineMenu.Dropdown>
    </MantineMenu>
  );
}

function itemOf(item: MenuItem | null | false, at: number) {
  if (!item) return null;
  if (item === 'divider') return <MantineMenu.Divider key={at} />;
  if ('heading' in item) return <MantineMenu.Label key={item.heading}>{item.heading}</MantineMenu.Label>;
  if (item.isChecked !== undefined)
    return (
      <MantineMenu.CheckboxItem
        key={item.label}
        checked={item.isChecked}
        onChange={item.run}
        disabled={item.isDisabled}
        closeMenuOnClick
      >
        {item.label}
      </MantineMenu.CheckboxItem>
    );
  return (
    <MantineMenu.Item
      key={item.label}
      onClick={item.run}
      disabled={item.isDisabled}
      color={item.isDanger ? 'red' : undefined}
      leftSection={item.icon && <Icon name={item.icon} />}
      rightSection={item.keys && <Keys keys={item.keys} />}
    >
      {item.label}
    </MantineMenu.Item>
  );
}
