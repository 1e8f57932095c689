import { createStore } from '../../base/store.ts';

/** Whether the palette is open. */
export const isPaletteOpen = createStore(false);
/** Whether the sheet of shortcuts is open. */
export const isSheetOpen = createStore(false);
