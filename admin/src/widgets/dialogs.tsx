import '@mantine/core/styles/Modal.css';
import '@mantine/core/styles/Drawer.css';
import { Drawer as MantineDrawer, Modal as MantineModal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../base/i18n.ts';
import css from './dialogs.module.css';

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
const COMMON = { lockScroll: false, transitionProps: { duration: 0 } } as const;

/** A dialog in the middle. The focus goes in, stays in, and returns. */
export function Modal({ isOpen, onClose, width = 480, isSticky, isForced, title, children }: DialogProps) {
  return (
    <MantineModal.Root
      {...COMMON}
      opened={isOpen}
      onClose={onClose}
      size={width}
      centered
      closeOnEscape={!isForced}
      closeOnClickOutside={!isSticky && !isForced}
    >
      <MantineModal.Overlay backgroundOpacity={0.45} />
      <MantineModal.Content>
        <div className={css['head']}>
          <MantineModal.Title>{title}</MantineModal.Title>
          {!isForced && <MantineModal.CloseButton aria-label={t('Close')} />}
        </div>
        <MantineModal.Body>{children}</MantineModal.Body>
      </MantineModal.Content>
    </MantineModal.Root>
  );
}

/** A dialog at the end of the line, as high as the screen. */
export function Drawer({
  isOpen,
  onClose,
  width = 560,
  isSticky,
  isForced,
  title,
  children,
  side = 'end',
}: DialogProps & { readonly side?: 'start' | 'end' }) {
  return (
    <MantineDrawer.Root
      {...COMMON}
      opened={isOpen}
      onClose={onClose}
      size={width}
      // Mantine turns left and right around by itself where the writing does.
      position={side === 'end' ? 'right' : 'left'}
      closeOnEscape={!isForced}
      closeOnClickOutside={!isSticky && !isForced}
    >
      <MantineDrawer.Overlay backgroundOpacity={0.45} />
      <MantineDrawer.Content>
        <div className={css['head']}>
          <MantineDrawer.Title>{title}</MantineDrawer.Title>
          {!isForced && <MantineDrawer.CloseButton aria-label={t('Close')} />}
        </div>
        <MantineDrawer.Body>{children}</MantineDrawer.Body>
      </MantineDrawer.Content>
    </MantineDrawer.Root>
  );
}
