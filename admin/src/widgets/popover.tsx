import { Popover as MantinePopover } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

export interface PopoverProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly target: ReactElement;
  readonly children: ReactNode;
  /** Accessible name. */
  readonly label: string;
  readonly width?: number | 'target';
  readonly position?: 'bottom-start' | 'bottom-end' | 'bottom' | 'top-start';
  /** A click outside does not close it, because input would be lost or because its own lists open outside. */
  readonly isSticky?: boolean;
}

/** A small dialog beside its trigger. Mounted only while open. Takes the focus and returns it. */
export function Popover({
  isOpen,
  onClose,
  target,
  children,
  label,
  width,
  position = 'bottom-start',
  isSticky = false,
}: PopoverProps) {
  return (
    <MantinePopover
      opened={isOpen}
      onChange={(next) => !next && onClose()}
      onDismiss={onClose}
      closeOnClickOutside={!isSticky}
      position={position}
      width={width}
      shadow="md"
      trapFocus
      returnFocus
      withRoles
      zIndex={320}
      transitionProps={{ duration: 0 }}
    >
      <MantinePopover.Target>{target}</MantinePopover.Target>
      <MantinePopover.Dropdown aria-label={label}>{children}</MantinePopover.Dropdown>
    </MantinePopover>
  );
}
