import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/ModalBase.css';
import './theme.css';
import {
  createTheme,
  DirectionProvider,
  localStorageColorSchemeManager,
  MantineProvider,
} from '@mantine/core';
import type { ReactNode } from 'react';

const theme = createTheme({ cursorType: 'pointer', respectReducedMotion: true });
const manager = localStorageColorSchemeManager({ key: 'chancery.theme' });

/**
 * What every widget needs around it. The provider writes no style tag: variables come from a style sheet, and the content policy
 * allows no other.
 */
export function WidgetProvider({
  isRightToLeft,
  children,
}: {
  readonly isRightToLeft: boolean;
  readonly children: ReactNode;
}) {
  return (
    <DirectionProvider initialDirection={isRightToLeft ? 'rtl' : 'ltr'} detectDirection={false}>
      <MantineProvider
        theme={theme}
        colorSchemeManager={manager}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
        deduplicateCssVariables={false}
      >
        {children}
      </MantineProvider>
    </DirectionProvider>
  );
}
