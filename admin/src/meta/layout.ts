import type { Field } from './meta.ts';

/** The layout of a form: tabs with sections, columns and fields. Empty parts are left out. */
export interface LayoutTab {
  readonly id: string;
  /** '' for the part before the first tab. */
  readonly label: string;
  /** The field that starts this part; null if there is none. */
  readonly field: Field | null;
  readonly sections: readonly LayoutSection[];
}

export interface LayoutSection {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly field: Field | null;
  readonly isCollapsible: boolean;
  readonly columns: readonly (readonly Field[])[];
}

/** Builds the layout from the ordered fields and their breaks. */
export function layout(fields: readonly Field[]): readonly LayoutTab[] {
  const tabs: Draft[] = [draftTab(null, 0)];
  for (const [at, field] of fields.entries()) {
    const tab = tabs.at(-1) ?? draftTab(null, at);
    const section = tab.sections.at(-1) ?? draftSection(null, at);
    if (field.fieldtype === 'Tab Break') tabs.push(draftTab(field, at));
    else if (field.fieldtype === 'Section Break') tab.sections.push(draftSection(field, at));
    else if (field.fieldtype === 'Column Break') section.columns.push([]);
    // Fold is obsolete: it collapsed the fields after it.
    else if (field.fieldtype !== 'Fold') section.columns.at(-1)?.push(field);
  }
  return tabs.map(finished).filter((tab) => tab.sections.length > 0);
}

/** The parts with visible fields. Drops empty sections, and tabs without other sections. */
export function visibleTabs(tabs: readonly LayoutTab[], names: ReadonlySet<string>): readonly LayoutTab[] {
  const isThere = (field: Field | null) => field === null || names.has(field.fieldname);
  return tabs
    .filter((tab) => isThere(tab.field))
    .map((tab) => ({
      ...tab,
      sections: tab.sections
        .filter((section) => isThere(section.field))
        .map((section) => ({
          ...section,
          columns: section.columns
            .map((column) => column.filter(isThere))
            .filter((column) => column.length > 0),
        }))
        .filter((section) => section.columns.length > 0),
    }))
    .filter((tab) => tab.sections.length > 0);
}

/** True if a section contains a field. */
export function holds(section: LayoutSection, fieldname: string): boolean {
  return section.columns.some((column) => column.some((field) => field.fieldname === fieldname));
}

interface DraftSection {
  readonly id: string;
  readonly field: Field | null;
  readonly columns: Field[][];
}

interface Draft {
  readonly id: string;
  readonly field: Field | null;
  readonly sections: DraftSection[];
}

function draftTab(field: Field | null, at: number): Draft {
  return { id: field?.fieldname ?? 'first', field, sections: [draftSection(null, at)] };
}

function draftSection(field: Field | null, at: number): DraftSection {
  return { id: field?.fieldname ?? `section_${at}`, field, columns: [[]] };
}

function finished({ id, field, sections }: Draft): LayoutTab {
  return {
    id,
    label: field?.label ?? '',
    field,
    sections: sections.flatMap((section) => {
      const columns = section.columns.filter((column) => column.length > 0);
      if (columns.length === 0) return [];
      return [
        {
          id: section.id,
          label: section.field?.label ?? '',
          description: section.field?.description ?? '',
          field: section.field,
          isCollapsible: section.field?.collapsible ?? false,
          columns,
        },
      ];
    }),
  };
}
