import type { Theme } from '../../widgets/use-theme.ts';

const THEMES = { Light: 'light', Dark: 'dark', Automatic: 'auto' } as const;

/** The theme that a User's field names; undefined where nothing was chosen. */
export function themeOf(stored: string | undefined): Theme | undefined {
  return stored !== undefined && stored in THEMES ? THEMES[stored as keyof typeof THEMES] : undefined;
}

/** The theme as the User document names it. */
export function storedTheme(theme: Theme): string {
  return theme === 'light' ? 'Light' : theme === 'dark' ? 'Dark' : 'Automatic';
}
