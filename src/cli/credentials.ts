import type { FirstStart } from '../site/first-start.ts';

/** Lines that show what a start made up; none when it made nothing up. */
export function credentials(made: FirstStart | null): string[] {
  if (!made) return [];
  const lines = [
    made.isRenewed
      ? 'Nobody has signed in yet. Note these, those shown before do not work any more:'
      : 'This is the first start. Note these, they are shown only now:',
    '  User      Administrator',
  ];
  if (made.password) lines.push(`  Password  ${made.password}`);
  if (made.apiKey) lines.push(`  API key   ${made.apiKey}`);
  return lines;
}
