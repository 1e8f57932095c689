import { type DraftField, typeOf } from './draft.ts';

/** The parts of a form as the canvas shows them: as `meta/layout.ts` builds them, but with empty parts. */
export interface CanvasTab {
  readonly key: string;
  readonly head: DraftField | null;
  readonly sections: readonly CanvasSection[];
}

export interface CanvasSection {
  readonly key: string;
  readonly head: DraftField | null;
  readonly columns: readonly CanvasColumn[];
}

export interface CanvasColumn {
  readonly key: string;
  /** The Column Break that begins it; null for the first one. */
  readonly head: DraftField | null;
  readonly fields: readonly DraftField[];
  /** The place in the doctype's list of fields behind its last one. */
  readonly end: number;
}

/** Lays out the fields for the canvas. Parts at the beginning that hold nothing are left out. */
export function canvasOf(fields: readonly DraftField[]): readonly CanvasTab[] {
  const tabs: MutableTab[] = [tabFrom(null, 0)];
  for (const [at, field] of fields.entries()) {
    const tab = tabs.at(-1) ?? tabFrom(null, at);
    const section = tab.sections.at(-1) ?? sectionFrom(null, at);
    const column = section.columns.at(-1) ?? columnFrom(null, at);
    const type = typeOf(field);
    if (type === 'Tab Break') tabs.push(tabFrom(field, at + 1));
    else if (type === 'Section Break') tab.sections.push(sectionFrom(field, at + 1));
    else if (type === 'Column Break') section.columns.push(columnFrom(field, at + 1));
    else {
      column.fields.push(field);
      column.end = at + 1;
    }
  }
  for (const tab of tabs) {
    if (tab.sections.length > 1 && isVoid(tab.sections[0])) tab.sections.shift();
  }
  const [first] = tabs;
  if (tabs.length > 1 && first?.sections.every((one) => isVoid(one))) tabs.shift();
  return tabs;
}

interface MutableColumn extends CanvasColumn {
  readonly fields: DraftField[];
  end: number;
}

interface MutableSection extends CanvasSection {
  readonly columns: MutableColumn[];
}

interface MutableTab extends CanvasTab {
  readonly sections: MutableSection[];
}

function isVoid(section: CanvasSection | undefined): boolean {
  return section?.head === null && section.columns.every(({ head, fields }) => !head && fields.length === 0);
}

function tabFrom(head: DraftField | null, at: number): MutableTab {
  return { key: head?.key ?? 'first', head, sections: [sectionFrom(null, at)] };
}

function sectionFrom(head: DraftField | null, at: number): MutableSection {
  return { key: head?.key ?? `section_${at}`, head, columns: [columnFrom(null, at)] };
}

function columnFrom(head: DraftField | null, at: number): MutableColumn {
  return { key: head?.key ?? `column_${at}`, head, fields: [], end: at };
}
