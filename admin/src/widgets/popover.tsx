import { Popover as MantinePopover } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

export interface PopoverProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly target: ReactElement;
  readonly children: ReactNode;
  /** What it is, for screen readers. */
  readonly label: string;
  readonly width?: number | 'target';
  readonly position?: 'bottom-start' | 'bottom-end' | 'bottom' | 'top-start';
  /** A press beside it does not close it: something would be lost, or it opens lists that lie beside it. */
  readonly isSticky?: boolean;
}

/** A small dialog beside what opened it. Mounted while it is open only; the focus goes in and returns. */
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
