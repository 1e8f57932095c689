import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../../base/i18n.ts';
import { openSink } from '../../../base/save-file.ts';
import { toast } from '../../../base/toasts.ts';
import { useTask } from '../../../base/use-task.ts';
import { countRows, type ListQuery } from '../../../data/documents.ts';
import { keys } from '../../../data/keys.ts';
import type { Row } from '../../../grid/list-requests.ts';
import { chosenCount, EVERYTHING, type Selection } from '../../../grid/list-selection.ts';
import { countOf } from '../../../meta/nouns.ts';
import { type ExportOptions, exportBytes, MEDIA_TYPES } from './export-bytes.ts';
import { exportQuery } from './export-columns.ts';
import { chosenRows, LinkTitles } from './export-rows.ts';

/** From this number of records on, the file goes to the disk while it is written. */
const LARGE = 20_000;

/** Counts the records of an export, and writes them to a file. */
export function useExport(
  doctype: string,
  listed: ListQuery,
  selection: Selection | null,
  options: ExportOptions,
) {
  const [done, setDone] = useState<number | null>(null);
  const { error, run } = useTask();
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const query = exportQuery(listed, options.columns);
  const total = useQuery({
    queryKey: [...keys.count(doctype, listed), 'exact'],
    queryFn: ({ signal }) => countRows(doctype, listed, { exact: true, signal }),
    staleTime: 0,
  });
  const chosen = selection ?? EVERYTHING;
  const count = chosenCount(chosen, total.data?.count ?? null);

  const write = async () => {
    const control = new AbortController();
    stop.current = control;
    const isLarge = (count ?? 0) >= LARGE;
    const sink = await openSink(`${doctype}.${options.format}`, MEDIA_TYPES[options.format], isLarge);
    if (!sink) return;
    setDone(0);
    const pages = pagesOf(
      chosenRows(doctype, query, chosen, control.signal),
      options,
      control.signal,
      setDone,
    );
    try {
      for await (const bytes of exportBytes(pages, options, t(doctype))) await sink.write(bytes);
      control.signal.throwIfAborted();
      await sink.close();
      toast('success', t('{records} exported', { records: countOf(doctype, count ?? 0) }));
      return true;
    } catch (failure) {
      await sink.abort();
      setDone(null);
      if (!control.signal.aborted) throw failure;
      return false;
    }
  };
  return {
    ...{ count, done, error },
    countError: total.error,
    recount: () => void total.refetch(),
    start: (onDone: () => void) => void run(async () => (await write()) && onDone()),
    stop: () => stop.current?.abort(),
  };
}

async function* pagesOf(
  pages: AsyncIterable<readonly Row[]>,
  { columns, hasTitles }: ExportOptions,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): AsyncGenerator<readonly Row[]> {
  const titles = new LinkTitles(hasTitles ? columns : [], signal);
  let done = 0;
  for await (const docs of pages) {
    signal.throwIfAborted();
    yield await titles.replaced(docs);
    done += docs.length;
    onProgress(done);
  }
}
