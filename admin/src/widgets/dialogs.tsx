import '@mantine/core/styles/Modal.css';
import '@mantine/core/styles/Drawer.css';
import { Drawer as MantineDrawer, Modal as MantineModal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../base/i18n.ts';

export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** In pixels; never wider than the screen. */
  readonly width?: number;
  /** A press beside it does not close it: something would be lost. */
  readonly isSticky?: boolean;
  /** Nothing but its own buttons closes it. */
  readonly isForced?: boolean;
}

// The widget's own lock on scrolling writes a style tag; theme.css does it instead.
const COMMON = {
  lockScroll: false,
  transitionProps: { duration: 0 },
  overlayProps: { backgroundOpacity: 0.45 },
} as const;

/** A dialog in the middle. The focus goes in, stays in, and returns. */
export function Modal({ isOpen, onClose, width = 480, isSticky, isForced, ...rest }: DialogProps) {
  return (
    <MantineModal
      {...COMMON}
      {...rest}
      opened={isOpen}
      onClose={onClose}
      size={width}
      centered
      withCloseButton={!isForced}
      closeOnEscape={!isForced}
      closeOnClickOutside={!isSticky && !isForced}
      closeButtonProps={{ 'aria-label': t('Close') }}
    />
  );
}

/** A dialog at the end of the line, as high as the screen. */
export function Drawer({
  isOpen,
  onClose,
  width = 560,
  isSticky,
  isForced,
  side = 'end',
  ...rest
}: DialogProps & { readonly side?: 'start' | 'end' }) {
  return (
    <MantineDrawer
      {...COMMON}
      {...rest}
      opened={isOpen}
      onClose={onClose}
      size={width}
      // Mantine turns left and right around by itself where the writing does.
      position={side === 'end' ? 'right' : 'left'}
      withCloseButton={!isForced}
      closeOnEscape={!isForced}
      closeOnClickOutside={!isSticky && !isForced}
      closeButtonProps={{ 'aria-label': t('Close') }}
    />
  );
}
