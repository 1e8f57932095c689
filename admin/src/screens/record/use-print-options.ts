import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { currentCustoms } from '../../base/format.ts';
import { type Filter, listRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import type { RecordModel } from '../../form/record.ts';

/** The layout of the form, which every doctype can be printed with. */
export const STANDARD = 'Standard';

/** The choices of a letter head beside those with a name, whose values begin with `=`. */
export const USUAL = 'usual';
export const NONE = 'none';

export function namedHead(name: string): string {
  return `=${name}`;
}

interface Named {
  readonly name: string;
}

/** The chosen Print Format and letter head of a document, and the address of its page. */
export function usePrintOptions({ doctype, bundle: { meta } }: RecordModel, name: string) {
  const formats = useNames('Print Format', [
    ['doc_type', '=', doctype],
    ['disabled', '=', 0],
  ]);
  const heads = useNames('Letter Head', [['disabled', '=', 0]]);
  const [chosen, setChosen] = useState<string | null>(null);
  const [head, setHead] = useState(USUAL);
  const usual = formats.includes(meta.default_print_format) ? meta.default_print_format : STANDARD;
  const format = chosen ?? usual;
  const search = new URLSearchParams({ doctype, name, format, _lang: currentCustoms().locale });
  if (head === NONE) search.set('no_letterhead', '1');
  else if (head !== USUAL) search.set('letterhead', head.slice(1));
  return { formats, heads, format, head, setFormat: setChosen, setHead, url: `/printview?${search}` };
}

function useNames(doctype: string, filters: readonly Filter[]): readonly string[] {
  const query = { fields: ['name'], filters, order_by: 'name asc', limit_page_length: 100 };
  const { data = [] } = useQuery({
    queryKey: keys.list(doctype, query),
    queryFn: ({ signal }) => listRows<Named>(doctype, query, { signal }),
  });
  return data.map(({ name }) => name);
}
