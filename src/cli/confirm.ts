import { createInterface } from 'node:readline/promises';
import { UsageError } from './command.ts';

/**
 * Asks for confirmation at the terminal; `--yes` confirms in advance. @throws UsageError without a terminal
 */
export async function confirm(question: string, isYes: boolean): Promise<boolean> {
  if (isYes) return true;
  if (!process.stdin.isTTY)
    throw new UsageError('There is no terminal to ask for confirmation. Add --yes to continue');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(`${question} Type yes to continue: `)).trim().toLowerCase() === 'yes';
  } finally {
    terminal.close();
  }
}
