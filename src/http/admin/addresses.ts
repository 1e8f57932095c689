import { openAddress } from '../address/address.ts';
import { BYTES, PAGE } from '../address/operation.ts';

const MOVED = { '302': { description: 'The admin UI is at `Location`' } };

/** The admin UI: its pages, scripts and styles. */
export const APP = openAddress('/app', 'adminUi', 'The admin UI', PAGE);
export const APP_PART = openAddress(
  '/app/*',
  'adminUiPart',
  'A page of the admin UI, or a file that it loads',
  BYTES,
  { path: 'Path of the page or the file' },
);

/** Frappe's addresses of its UI. */
export const DESK = openAddress('/desk', 'desk', 'Redirect to the admin UI', MOVED);
export const DESK_PART = openAddress(
  '/desk/*',
  'deskPart',
  'Redirect to the same page of the admin UI',
  MOVED,
  {
    path: 'Path of the page',
  },
);
