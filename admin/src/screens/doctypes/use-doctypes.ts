import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { isOwn } from '../../base/opened.ts';
import { type BootDoctype, useBoot } from '../../data/boot.ts';
import { listRows } from '../../data/documents.ts';
import { useFreshness } from '../../data/events.ts';
import { keys } from '../../data/keys.ts';
import { may } from '../../meta/permissions.ts';

/** What the definition of a doctype tells about it. */
interface Facts {
  readonly name: string;
  readonly module: string;
  readonly istable: 0 | 1;
  readonly custom: 0 | 1;
  readonly description: string | null;
  readonly modified: string;
  /** Number of fields with a value. */
  readonly fields: number;
}

/** A line of the list of doctypes. */
export interface DoctypeLine {
  readonly name: string;
  readonly module: string;
  /** Null for a child table, which has no list of its own. */
  readonly listed: BootDoctype | null;
  /** Null if the user may not read definitions. */
  readonly facts: Facts | null;
}

export interface DoctypeGroup {
  readonly id: 'own' | 'tables' | 'system';
  readonly lines: readonly DoctypeLine[];
}

const LAYOUT = ['Section Break', 'Column Break', 'Tab Break', 'Fold', 'Heading', 'HTML', 'Button', 'Image'];
const ALIKE = ['name', 'module', 'istable', 'custom', 'description', 'modified'];
const QUERY = {
  fields: [...ALIKE, 'count(fields.fieldname) as fields'],
  filters: [['DocField', 'fieldtype', 'not in', LAYOUT] as const],
  group_by: ALIKE.join(),
  order_by: 'name asc',
  limit_page_length: 2_000,
};

/** The doctypes that the user may read, in groups, narrowed by what is typed. */
export function useDoctypes() {
  const { doctypes } = useBoot();
  const [typed, setTyped] = useState('');
  useFreshness(['DocType']);
  const isManager = may('DocType', 'read');
  const { data: facts = [] } = useQuery({
    queryKey: keys.list('DocType', QUERY),
    queryFn: ({ signal }) => listRows<Facts>('DocType', QUERY, { signal }),
    enabled: isManager,
  });
  const groups = useMemo(() => groupsOf([...doctypes.values()], facts), [doctypes, facts]);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const isFound = ({ name, module }: DoctypeLine) => {
    const text = `${name} ${t(name)} ${module}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return {
    ...{ typed, setTyped, isManager },
    isSearching: words.length > 0,
    groups: groups
      .map(({ id, lines }) => ({ id, lines: lines.filter(isFound) }))
      .filter(({ lines }) => lines.length > 0),
  };
}

function groupsOf(doctypes: readonly BootDoctype[], all: readonly Facts[]): readonly DoctypeGroup[] {
  const facts = new Map(all.map((one) => [one.name, one]));
  const listed = doctypes.filter((one) => !one.istable && one.rights.has('read'));
  const lineOf = (one: BootDoctype): DoctypeLine => ({
    name: one.name,
    module: one.module,
    listed: one,
    facts: facts.get(one.name) ?? null,
  });
  const tables = all.filter((one) => one.istable === 1).map(tableLine);
  const isOwnTable = ({ module, facts: told }: DoctypeLine) => isOwn({ module, custom: told?.custom === 1 });
  const groups: readonly DoctypeGroup[] = [
    { id: 'own', lines: listed.filter(isOwn).map(lineOf) },
    { id: 'tables', lines: tables.filter(isOwnTable) },
    {
      id: 'system',
      lines: [
        ...listed.filter((one) => !isOwn(one)).map(lineOf),
        ...tables.filter((one) => !isOwnTable(one)),
      ],
    },
  ];
  return groups.map(({ id, lines }) => ({ id, lines: lines.toSorted(byModule) }));
}

function tableLine(facts: Facts): DoctypeLine {
  return { name: facts.name, module: facts.module, listed: null, facts };
}

function byModule(a: DoctypeLine, b: DoctypeLine): number {
  return a.module.localeCompare(b.module) || a.name.localeCompare(b.name);
}
