import { useEffect, useRef } from 'react';
import { t, tn } from '../../base/i18n.ts';
import { saveFile } from '../../base/save-file.ts';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { Button } from '../../widgets/button.tsx';
import { tellFailure } from '../../widgets/error-panel.tsx';
import { Menu } from '../../widgets/menu.tsx';
import { auditFile } from './audit-file.ts';
import type { AuditView } from './use-audit.ts';

/** Exports all entries that match the filters. Leaving the screen stops it. */
export function AuditExport({ view }: { readonly view: AuditView }) {
  const { isBusy, run } = useTask();
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const write = (format: 'csv' | 'json') =>
    run(
      async () => {
        stop.current = new AbortController();
        const { blob, count } = await auditFile(format, view.query(), stop.current.signal);
        saveFile(`audit-log.${format}`, blob);
        toast('success', tn(count, '{count} entry exported', '{count} entries exported'));
      },
      (failure) => {
        if (!stop.current?.signal.aborted) tellFailure(failure);
      },
    );
  return (
    <Menu
      label={t('Export')}
      target={
        <Button icon="download" endIcon="down" isBusy={isBusy}>
          {t('Export')}
        </Button>
      }
      items={[
        { label: 'CSV', run: () => void write('csv') },
        { label: 'JSON', run: () => void write('json') },
      ]}
    />
  );
}
