import { styleText } from 'node:util';

/** The severity of a line. */
export type Level = 'debug' | 'info' | 'warn' | 'error';

const COLOURS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

/**
 * A log line for people: time of day, severity, event, and facts as `name=value`. Stacks of errors follow on
 * their own lines.
 */
export function terminalLine(
  at: Date,
  level: Level,
  kind: string,
  facts: Readonly<Record<string, unknown>>,
  isColoured: boolean,
): string {
  const word = level.toUpperCase().padEnd(5);
  const shown = isColoured ? styleText(COLOURS[level], word, { validateStream: false }) : word;
  const { message, ...others } = facts;
  const parts = [clockTime(at), shown, kind];
  if (typeof message === 'string') parts.push(message.split('\n').map(visible).join(' '));
  const stacks: string[] = [];
  for (const [name, fact] of Object.entries(others)) {
    if (name === 'error') stacks.push(...stackLines(fact, ''));
    else if (fact !== undefined) parts.push(`${name}=${valueText(fact)}`);
  }
  return `${[parts.join(' '), ...stacks].join('\n')}\n`;
}

function clockTime(at: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

function stackLines(error: unknown, before: string): string[] {
  if (typeof error !== 'object' || error === null) return [`  ${before}${visible(String(error))}`];
  const { stack, message, cause } = error as { stack?: unknown; message?: unknown; cause?: unknown };
  const lines = String(stack ?? message).split('\n');
  return [
    ...lines.map((line, index) => `  ${index === 0 ? before : ''}${visible(line)}`),
    ...(cause === undefined ? [] : stackLines(cause, 'Caused by: ')),
  ];
}

function valueText(value: unknown): string {
  if (typeof value === 'number') return String(Math.round(value * 10) / 10);
  if (typeof value !== 'string') return visible(JSON.stringify(value));
  return /^[\w./:@+~-]+$/.test(value) ? value : visible(JSON.stringify(value));
}

// Facts may contain untrusted text. It must not move the cursor, colour the terminal or reverse the line.
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
