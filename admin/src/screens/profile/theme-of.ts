import type { Theme } from '../../widgets/use-theme.ts';

const THEMES = { Light: 'light', Dark: 'dark', Automatic: 'auto' } as const;

/** The theme in a User's field; undefined without a choice. */
export function themeOf(stored: string | undefined): Theme | undefined {
  return stored !== undefined && stored in THEMES ? THEMES[stored as keyof typeof THEMES] : undefined;
}

/** The value of a theme in the User document. */
export function storedTheme(theme: Theme): string {
  return theme === 'light' ? 'Light' : theme === 'dark' ? 'Dark' : 'Automatic';
}
