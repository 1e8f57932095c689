import { settingsOf, type ViewSettings, type ViewType, viewTypeOf } from '../../grid/list-search.ts';

interface Remembered {
  readonly as: ViewType;
  readonly settings: Readonly<Partial<Record<ViewType, ViewSettings>>>;
}

/** The type of view that the user chose last for a doctype, on this device. */
export function rememberedType(doctype: string): ViewType {
  return read(doctype).as;
}

/** The last settings of that type for a doctype, on this device. */
export function rememberedSettings(doctype: string, as: ViewType): ViewSettings {
  return read(doctype).settings[as] ?? {};
}

/** Remembers a choice on this device. */
export function rememberView(doctype: string, as: ViewType, settings: ViewSettings): void {
  const remembered = { as, settings: { ...read(doctype).settings, [as]: settings } };
  try {
    localStorage.setItem(keyOf(doctype), JSON.stringify(remembered));
  } catch {
    // Without storage, lists begin as tables.
  }
}

function read(doctype: string): Remembered {
  try {
    const { as, settings } = settingsOf(JSON.parse(localStorage.getItem(keyOf(doctype)) ?? '{}'));
    return { as: viewTypeOf(as), settings: settingsOf(settings) as Remembered['settings'] };
  } catch {
    return { as: 'table', settings: {} };
  }
}

function keyOf(doctype: string): string {
  return `chancery.view.${doctype}`;
}
