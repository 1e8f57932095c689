import type { BackupProgress } from '../backup/backup.ts';
import { size } from '../kernel/quantity.ts';

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
