import type { DocEventName } from '../document/doc-event.ts';

type Events = readonly DocEventName[];

/** Of a creation; a document may be created submitted. */
export const CREATES: Events = ['after_insert', 'on_submit', 'on_change'];
/** Of a change of fields. */
export const EDITS: Events = ['on_update', 'on_update_after_submit', 'on_change'];
/** Of an update, which may also submit or cancel. */
export const UPDATES: Events = [...EDITS, 'on_submit', 'on_cancel'];
export const DELETES: Events = ['on_trash'];
export const RENAMES: Events = ['after_rename'];
