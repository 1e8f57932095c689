import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/ActionIcon.css';
import { ActionIcon, Button as MantineButton } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { Icon, type IconName } from './icon.tsx';
import { Tooltip } from './tooltip.tsx';

type Kind = 'primary' | 'default' | 'quiet' | 'danger';

const VARIANTS = {
  primary: { variant: 'filled', color: 'blue' },
  default: { variant: 'default' },
  quiet: { variant: 'subtle', color: 'gray' },
  danger: { variant: 'filled', color: 'red' },
} as const;

export interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'style'> {
  /** At most one `primary` per screen. `danger` is for destructive actions. */
  readonly kind?: Kind;
  readonly icon?: IconName;
  readonly endIcon?: IconName;
  /** The action is running: shows a spinner and disables the button. */
  readonly isBusy?: boolean;
  readonly isFullWidth?: boolean;
}

/** A button with text. */
export function Button({
  kind = 'default',
  icon,
  endIcon,
  isBusy,
  isFullWidth,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <MantineButton
      {...VARIANTS[kind]}
      {...rest}
      type={type}
      size="sm"
      loading={isBusy}
      fullWidth={isFullWidth}
      leftSection={icon && <Icon name={icon} />}
      rightSection={endIcon && <Icon name={endIcon} />}
    />
  );
}

export interface IconButtonProps
  extends Omit<ComponentPropsWithRef<'button'>, 'style' | 'aria-label' | 'name'> {
  /** Accessible name, also shown on hover. */
  readonly label: string;
  readonly icon: IconName;
  readonly kind?: Kind;
  readonly isBusy?: boolean;
  /** 24 px instead of 32. */
  readonly isSmall?: boolean;
  /** Omits the tooltip where the label is visible. */
  readonly hasTooltip?: boolean;
}

/** A button with only an icon. It always has an accessible name. */
export function IconButton({
  label,
  icon,
  kind = 'quiet',
  isBusy,
  isSmall,
  hasTooltip = true,
  type = 'button',
  ...rest
}: IconButtonProps) {
  const button = (
    <ActionIcon
      {...VARIANTS[kind]}
      {...rest}
      type={type}
      aria-label={label}
      size={isSmall ? 24 : 32}
      loading={isBusy}
    >
      <Icon name={icon} size={isSmall ? 14 : 16} />
    </ActionIcon>
  );
  return hasTooltip ? <Tooltip label={label}>{button}</Tooltip> : button;
}
