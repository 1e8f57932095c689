import '@mantine/core/styles/Tooltip.css';
import { Tooltip as MantineTooltip } from '@mantine/core';
import type { ReactElement } from 'react';

/** A hint on hover and focus. It never holds information that is nowhere else. */
export function Tooltip({ label, children }: { readonly label: string; readonly children: ReactElement }) {
  return (
    <MantineTooltip
      label={label}
      openDelay={500}
      events={{ hover: true, focus: true, touch: false }}
      withArrow
      multiline
      maw={320}
      zIndex={400}
    >
      {children}
    </MantineTooltip>
  );
}
