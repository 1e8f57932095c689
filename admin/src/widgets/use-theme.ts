import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

/** `auto` follows the system's theme. */
export type Theme = 'light' | 'dark' | 'auto';

/** The chosen theme, the effective theme and a setter. The choice is stored on this device. */
export function useTheme(): {
  readonly theme: Theme;
  readonly seen: 'light' | 'dark';
  readonly setTheme: (theme: Theme) => void;
} {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return { theme: colorScheme, seen: useComputedColorScheme('light'), setTheme: setColorScheme };
}
