import { Positions } from '../../../src/client/positions.ts';

/** What this page knows of changes. The cookie of the page has the position of its own. */
export const positions = new Positions(false);
