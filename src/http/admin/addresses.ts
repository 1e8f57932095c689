import { openAddress } from '../address.ts';
import { BYTES, PAGE } from '../openapi/operation.ts';

const MOVED = { '302': { description: 'The admin UI is at `Location`' } };

/** The admin UI: its pages, scripts and styles. */
export const APP = openAddress('/app', 'adminUi', 'The admin UI', PAGE);
export const APP_PART = openAddress(
  '/app/*',
  'adminUiPart',
  'A page of the admin UI, or a part of it',
  BYTES,
  { path: 'Of the page, or of the part' },
);

/** Frappe's addresses of its UI. */
export const DESK = openAddress('/desk', 'desk', 'Leads to the admin UI', MOVED);
export const DESK_PART = openAddress('/desk/*', 'deskPart', 'Leads to the same page of the admin UI', MOVED, {
  path: 'Of the page',
});
