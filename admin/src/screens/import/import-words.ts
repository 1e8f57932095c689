import type { LoadMode, LoadStatus } from '../../../../src/load/data-load.ts';
import type { ProblemKind } from '../../../../src/load/problems.ts';
import type { LoadedRecord } from '../../../../src/load/read-records.ts';
import { t } from '../../base/i18n.ts';
import type { Tone } from '../../widgets/feedback.tsx';
import type { LoadCounts } from './load-data.ts';

export function modeWord(mode: LoadMode): string {
  if (mode === 'Insert') return t('Create records');
  return mode === 'Update' ? t('Update records') : t('Create or update records');
}

const TONES: Readonly<Record<LoadStatus, Tone>> = {
  Draft: 'neutral',
  Checking: 'info',
  Checked: 'info',
  Running: 'info',
  Paused: 'warning',
  Done: 'success',
  Failed: 'danger',
  Undoing: 'info',
  Undone: 'neutral',
};

export function statusTone(status: LoadStatus): Tone {
  return TONES[status];
}

export function statusWord(status: LoadStatus): string {
  const words: Readonly<Record<LoadStatus, string>> = {
    Draft: t('Not started'),
    Checking: t('Checking'),
    Checked: t('Checked'),
    Running: t('Importing'),
    Paused: t('Paused'),
    Done: t('Done'),
    Failed: t('Stopped by an error'),
    Undoing: t('Undoing'),
    Undone: t('Undone'),
  };
  return words[status];
}

/** Labels of the counts, in the order in which they are shown. `isPlan`: of what an import would do. */
export function countWords(isPlan: boolean): readonly (readonly [keyof LoadCounts, string])[] {
  return [
    ['inserted', isPlan ? t('To create') : t('Created')],
    ['updated', isPlan ? t('To update') : t('Updated')],
    ['unchanged', t('Unchanged')],
    ['skipped', t('Skipped')],
    ['failed', t('With errors')],
    ['broken_links', t('Broken links')],
    ['undone', t('Undone')],
    ['kept', t('Kept by the undo')],
  ];
}

export function problemWord(kind: ProblemKind): string {
  const words: Readonly<Record<ProblemKind, string>> = {
    error: t('Error'),
    changed: t('Changed value'),
    link: t('Broken link'),
    undo: t('Not undone'),
  };
  return words[kind];
}

/** What became of a record, as the ledger has it. */
export function recordWord(action: LoadedRecord['action']): string {
  const words: Readonly<Record<LoadedRecord['action'], string>> = {
    inserted: t('Created'),
    updated: t('Updated'),
    unchanged: t('Unchanged'),
    skipped: t('Skipped'),
    kept: t('Kept by the undo'),
  };
  return words[action];
}

export function recordTone(action: LoadedRecord['action']): Tone {
  if (action === 'kept') return 'warning';
  return action === 'inserted' || action === 'updated' ? 'success' : 'neutral';
}
