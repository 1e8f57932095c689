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
  /** A click outside does not close it, because input would be lost. */
  readonly isSticky?: boolean;
  /** Only its own buttons close it. */
  readonly isForced?: boolean;
}

// Mantine's scroll lock writes a style tag, which the content policy forbids. theme.css locks scrolling
// instead.
const COMMON = { lockScroll: false, transitionProps: { duration: 0 } } as const;

/** A centred dialog. It traps the focus and returns it on closing. */
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
        <div className={css['head']} data-stays>
          <MantineModal.Title>{title}</MantineModal.Title>
          {!isForced && <MantineModal.CloseButton aria-label={t('Close')} />}
        </div>
        <MantineModal.Body>{children}</MantineModal.Body>
      </MantineModal.Content>
    </MantineModal.Root>
  );
}

/** A full-height dialog at the end side of the screen. */
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
      // Mantine swaps left and right itself in right-to-left languages.
      position={side === 'end' ? 'right' : 'left'}
      closeOnEscape={!isForced}
      closeOnClickOutside={!isSticky && !isForced}
    >
      <MantineDrawer.Overlay backgroundOpacity={0.45} />
      <MantineDrawer.Content>
        <div className={css['head']} data-stays>
          <MantineDrawer.Title>{title}</MantineDrawer.Title>
          {!isForced && <MantineDrawer.CloseButton aria-label={t('Close')} />}
        </div>
        <MantineDrawer.Body>{children}</MantineDrawer.Body>
      </MantineDrawer.Content>
    </MantineDrawer.Root>
  );
}

/** The buttons of a dialog or drawer, which stay in view while its content scrolls. */
export function DialogFooter({ children }: { readonly children: ReactNode }) {
  return (
    <div className={css['footer']} data-stays>
      {children}
    </div>
  );
}
