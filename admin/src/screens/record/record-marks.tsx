import { lazy, Suspense, useEffect, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useStore } from '../../base/store.ts';
import { useDirty } from '../../form/form-context.ts';
import { lastSaved } from '../../form/last-saved.ts';
import type { RecordModel } from '../../form/record.ts';
import { docstatusWord } from '../../meta/field-values.ts';
import { labelOf } from '../../meta/standard-fields.ts';
import { Badge, type Tone } from '../../widgets/feedback.tsx';
import { Icon } from '../../widgets/icon.tsx';
import { LikeButton } from './like-button.tsx';
import css from './record.module.css';

// Loaded lazily, because the fields come first.
const Together = lazy(async () => ({ default: (await import('./together/together.tsx')).Together }));

interface MarksProps {
  readonly model: RecordModel;
  readonly title: string;
}

const TONES: Readonly<Record<number, Tone>> = { 0: 'neutral', 1: 'info', 2: 'danger' };

/** The state of a document beside its title: name, status, unsaved or just saved. */
export function RecordMarks({ model, title }: MarksProps) {
  const { stored } = useStore(model.state);
  return (
    <span className={css['beside']}>
      {stored && title !== stored.name && <span className={css['name']}>{stored.name}</span>}
      {stored && model.bundle.meta.is_submittable && (
        <Badge tone={TONES[stored.docstatus] ?? 'neutral'}>{docstatusWord(stored.docstatus)}</Badge>
      )}
      <LikeButton model={model} />
      {stored && (
        <Suspense fallback={null}>
          <Together model={model} />
        </Suspense>
      )}
      <SaveMark model={model} />
      <TakenMark model={model} />
    </span>
  );
}

// A separate component, so that a change of the document re-renders only this mark.
function SaveMark({ model }: { readonly model: RecordModel }) {
  const isDirty = useDirty(model.store);
  const { stored } = useStore(model.state);
  const isJustSaved = useJustSaved(model.doctype, stored?.name);
  if (isDirty || !stored) return <span className={css['dirty']}>{t('Not saved')}</span>;
  // Screen readers hear it from the live region.
  return isJustSaved ? (
    <span className={css['saved']} aria-hidden="true">
      <Icon name="check" size={14} />
      {t('Saved')}
    </span>
  ) : null;
}

// The last change by another user, until the user saves or goes on.
function TakenMark({ model }: { readonly model: RecordModel }) {
  const { taken } = useStore(model.state);
  const saved = useStore(lastSaved);
  if (!taken || (saved !== null && saved.at > taken.at)) return null;
  const fields = taken.fields.map(labelOf).join(', ');
  return (
    <span className={css['taken']} role="status" title={fields}>
      <Icon name="refresh" size={14} />
      {t('Updated by {user}', { user: taken.by })}
    </span>
  );
}

/** Milliseconds that "Saved" shows. */
const SHOWN = 3_000;

function useJustSaved(doctype: string, name: string | undefined): boolean {
  const last = useStore(lastSaved);
  const [ended, end] = useState(0);
  const at = last?.doctype === doctype && last.name === name ? last.at : 0;
  useEffect(() => {
    if (at === 0) return;
    const timer = setTimeout(() => end(at), Math.max(0, at + SHOWN - Date.now()));
    return () => clearTimeout(timer);
  }, [at]);
  return at !== 0 && at !== ended;
}
