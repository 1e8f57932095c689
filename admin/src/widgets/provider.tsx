// In a cascade layer, so that the style sheets of widgets override it in whatever order chunks load.
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/core/styles/UnstyledButton.layer.css';
import '@mantine/core/styles/Loader.layer.css';
import '@mantine/core/styles/Input.layer.css';
import '@mantine/core/styles/InlineInput.layer.css';
import '@mantine/core/styles/CloseButton.layer.css';
import '@mantine/core/styles/ScrollArea.layer.css';
import '@mantine/core/styles/Paper.layer.css';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import '@mantine/core/styles/ModalBase.layer.css';
import './theme.css';
import {
  createTheme,
  DirectionProvider,
  localStorageColorSchemeManager,
  MantineProvider,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../base/i18n.ts';

/** Container of menus, lists and dialogs. It is a landmark, because all content must be inside one. */
const OVERLAYS = 'overlays';

const theme = createTheme({
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Portal: { defaultProps: { target: `#${OVERLAYS}` } },
    // Descriptions go below, so that adjacent controls align.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
  },
});
const manager = localStorageColorSchemeManager({ key: 'chancery.theme' });

/**
 * The context that every widget needs. It writes no style tag, because the content policy forbids them; the
 * variables are in a style sheet.
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
        <section id={OVERLAYS} aria-label={t('Menus and dialogs')} />
      </MantineProvider>
    </DirectionProvider>
  );
}
