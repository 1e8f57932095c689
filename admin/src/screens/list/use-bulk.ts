import { useEffect, useRef, useState } from 'react';
import { toast } from '../../base/toasts.ts';
import { useTask } from '../../base/use-task.ts';
import { type BulkProgress, chosenNames, runBulk } from '../../grid/list-bulk.ts';
import { type BulkDialogProps, changeOf, textsOf } from './bulk-action.ts';

/** A bulk action: the names of its records, its progress and its result. */
export function useBulk({ action, meta, query, selection, onClose, onChanged }: BulkDialogProps) {
  const texts = textsOf(action, meta.name);
  const [found, setFound] = useState(0);
  const [names, setNames] = useState<readonly string[] | null>(null);
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [isDone, setDone] = useState(false);
  const [lost, setLost] = useState<unknown>(null);
  const task = useTask();
  const stop = useRef(new AbortController());

  useEffect(() => {
    const control = new AbortController();
    chosenNames(meta.name, query, selection, { signal: control.signal, onProgress: setFound })
      .then(setNames)
      .catch((failure: unknown) => {
        if (!control.signal.aborted) setLost(failure);
      });
    return () => control.abort();
  }, [meta.name, query, selection]);
  // Leaving the screen cancels the requests not sent yet.
  useEffect(() => () => stop.current.abort(), []);

  const change = async (fields: Readonly<Record<string, unknown>>) => {
    if (!names) return;
    stop.current = new AbortController();
    setProgress({ done: 0, total: names.length, failures: [] });
    try {
      const result = await runBulk(meta.name, names, changeOf(action, fields), {
        signal: stop.current.signal,
        onProgress: setProgress,
      });
      setProgress(result);
      if (result.done === result.total && result.failures.length === 0) {
        toast('success', texts.doneOf(result.total));
        onClose();
      }
    } finally {
      setDone(true);
      onChanged(names);
    }
  };
  const count = progress?.total ?? names?.length;
  return {
    title: count === undefined ? texts.title : texts.titleOf(count),
    ...{ texts, found, names, progress, isDone },
    error: lost ?? task.error,
    isRunning: progress !== null && !isDone,
    run: (fields: Readonly<Record<string, unknown>>) => void task.run(() => change(fields)),
    stop: () => stop.current.abort(),
  };
}
