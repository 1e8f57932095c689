import { useContext, useState } from 'react';
import { t } from '../../../base/i18n.ts';
import { toast } from '../../../base/toasts.ts';
import { useTask } from '../../../base/use-task.ts';
import { callMethod } from '../../../data/api.ts';
import { FormContext } from '../../../form/form-context.ts';
import type { MetaBundle } from '../../../meta/meta.ts';
import { Button } from '../../../widgets/button.tsx';
import { tellFailure } from '../../../widgets/error-panel.tsx';
import { Icon } from '../../../widgets/icon.tsx';
import { Stack } from '../../../widgets/layout.tsx';
import css from './beside.module.css';
import type { VersionRow } from './beside-data.ts';
import { EntryTime } from './entry-time.tsx';
import { Sentence } from './sentence.tsx';
import { Changes, RowChanges } from './version-changes.tsx';
import { readVersion } from './version-diff.ts';
import { versionSentence } from './version-words.ts';

/** A version as a sentence. It expands to the values, which can be restored into the form. */
export function VersionEntry({
  version,
  bundle,
}: {
  readonly version: VersionRow;
  readonly bundle: MetaBundle;
}) {
  const [isOpen, open] = useState(false);
  const diff = readVersion(version.data);
  const form = useContext(FormContext);
  const ask = form ? (name: string) => form.store.get(name) : undefined;
  return (
    <li className={css['entry']}>
      <button type="button" className={css['opener']} aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'end'} size={14} />
        <Sentence text={versionSentence(diff, bundle, ask)} user={version.owner} />
        <EntryTime at={version.creation} />
      </button>
      {isOpen && (
        <div className={css['inside']}>
          <Stack gap={3}>
            {diff.fields.length > 0 && <Changes meta={bundle.meta} fields={diff.fields} ask={ask} />}
            {diff.rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a version never changes
              <RowChanges key={at} row={row} bundle={bundle} ask={ask} />
            ))}
            <RestoreButton version={version.name} isTruncated={diff.isTruncated} />
          </Stack>
        </div>
      )}
    </li>
  );
}

interface Restored {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
}

// Restores values into the form without saving, so that the user can review them first.
function RestoreButton({
  version,
  isTruncated,
}: {
  readonly version: string;
  readonly isTruncated: boolean;
}) {
  const form = useContext(FormContext);
  const { isBusy, run } = useTask();
  if (!form?.canWrite || isTruncated) return null;
  const restore = () =>
    run(async () => {
      const { fields, notes } = await callMethod<Restored>('chancery.restore_version', {
        name: version,
        preview: 1,
      });
      form.store.assign(fields);
      toast('info', [t('Values restored to the form. Save to keep them.'), ...notes].join(' '));
    }, tellFailure);
  return (
    <span>
      <Button icon="history" isBusy={isBusy} onClick={restore}>
        {t('Restore the values before this change')}
      </Button>
    </span>
  );
}
