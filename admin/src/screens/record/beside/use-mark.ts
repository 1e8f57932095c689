import { announce } from '../../../base/announce.ts';
import { useTask } from '../../../base/use-task.ts';

/** Changes a mark of a document: a tag, an assignment or a share. `told` is for screen readers. */
export function useMark(refresh: () => Promise<void>) {
  const { run, isBusy, error } = useTask();
  const change = (work: () => Promise<unknown>, told: string) =>
    void run(async () => {
      await work();
      await refresh();
      announce(told);
    });
  return { change, isBusy, error };
}
