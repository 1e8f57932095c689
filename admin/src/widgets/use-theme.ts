import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

/** `auto` follows the system. */
export type Theme = 'light' | 'dark' | 'auto';

/** The theme chosen, the one that is seen, and how to choose. Kept on this device. */
export function useTheme(): {
  readonly theme: Theme;
  readonly seen: 'light' | 'dark';
  readonly setTheme: (theme: Theme) => void;
} {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return { theme: colorScheme, seen: useComputedColorScheme('light'), setTheme: setColorScheme };
}
