import type { BackupProgress } from '../backup/backup.ts';

/** Shows a line at the terminal that changes; nothing where there is no terminal. `end` removes it. */
export function showProgress(): { show(text: string): void; end(): void } {
  const { stderr } = process;
  if (!stderr.isTTY) return { show() {}, end() {} };
  let shown = 0;
  return {
    show(text) {
      const now = performance.now();
      if (now - shown < 100) return;
      shown = now;
      stderr.write(`\r\u001b[K${text}`);
    },
    end: () => void stderr.write('\r\u001b[K'),
  };
}

/** The progress of a backup or of a restore, at the terminal. */
export function showCopying(): BackupProgress & { end(): void } {
  const { show, end } = showProgress();
  return {
    database(bytes, total) {
      show(`Database: ${size(bytes)}${total === null ? '' : ` of ${size(total)}`}`);
    },
    files: (files, bytes) => show(`Files: ${files} (${size(bytes)})`),
    end,
  };
}

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people: `12.3 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  let value = bytes;
  let unit = -1;
  while (value >= 999.95 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(1)} ${UNITS[unit]}`;
}
