import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { listRows } from '../../data/documents.ts';
import { keys } from '../../data/keys.ts';
import type { Field, Meta } from '../../meta/meta.ts';
import type { ReportSource } from './report.ts';

type Codes = Readonly<Record<string, string>>;

/**
 * The doctype of a report, with the currency in the options of its amounts where all documents have the same. A sum
 * over several currencies stays a number. Undefined until this is known.
 */
export function useCurrencies(
  { doctype, filters, or_filters, report }: ReportSource,
  meta: Meta | undefined,
): Meta | undefined {
  const asked = meta ? currencyFields(meta, report.measures) : [];
  const where = { ...(filters ? { filters } : {}), ...(or_filters ? { or_filters } : {}) };
  const { data, isPending } = useQuery({
    queryKey: keys.list(doctype, { currencies: asked, ...where }),
    queryFn: async ({ signal }): Promise<Codes> => {
      const found = await Promise.all(
        asked.map(async (name) => {
          const query = { ...where, fields: [name], group_by: name, order_by: name, limit_page_length: 2 };
          const rows = await listRows(doctype, query, { signal });
          return rows.length === 1 ? [[name, String(rows[0]?.[name] ?? '')]] : [];
        }),
      );
      return Object.fromEntries(found.flat());
    },
    enabled: asked.length > 0,
    retry: false,
  });
  return useMemo(() => {
    if (!meta || asked.length === 0) return meta;
    return isPending ? undefined : withCodes(meta, data ?? {});
  }, [meta, asked.length, isPending, data]);
}

/** The fields with the currencies of the measured amounts. */
function currencyFields(meta: Meta, measures: ReportSource['report']['measures']): readonly string[] {
  const fields = measures.flatMap(({ field }) => meta.fieldByName.get(field ?? '') ?? []);
  const named = fields.filter(
    ({ fieldtype, options }) => fieldtype === 'Currency' && meta.fieldByName.has(options),
  );
  return [...new Set(named.map(({ options }) => options))].sort();
}

/** An empty currency is that of the site, as for one document: no options. */
function withCodes(meta: Meta, codes: Codes): Meta {
  const coded = (field: Field): Field => {
    const code = field.fieldtype === 'Currency' ? codes[field.options] : undefined;
    return code === undefined ? field : { ...field, options: code.toUpperCase() };
  };
  const fields = meta.fields.map(coded);
  return { ...meta, fields, fieldByName: new Map(fields.map((field) => [field.fieldname, field])) };
}
