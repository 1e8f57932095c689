/** Records for the stories of views: visits with a state, a place, a fee and dates. */
import type { Page } from 'playwright-core';
import type { Story } from './story.ts';

const ALL = { read: 1, write: 1, create: 1, delete: 1, share: 1 };
/** The doctype of visits. */
export const VISIT = {
  name: 'Visit',
  module: 'Stories',
  custom: 1,
  autoname: 'field:subject',
  title_field: 'subject',
  image_field: 'photo',
  permissions: [
    { role: 'System Manager', ...ALL },
    { role: 'Reader', read: 1 },
    { role: 'Clerk', read: 1 },
    { role: 'Clerk', read: 1, write: 1, if_owner: 1 },
  ],
  fields: [
    { fieldname: 'subject', label: 'Subject', fieldtype: 'Data', reqd: 1, unique: 1 },
    {
      fieldname: 'status',
      label: 'Status',
      fieldtype: 'Select',
      options: 'Planned\nDone',
      default: 'Planned',
      reqd: 1,
      in_list_view: 1,
    },
    { fieldname: 'city', label: 'City', fieldtype: 'Data', in_list_view: 1 },
    { fieldname: 'fee', label: 'Fee', fieldtype: 'Float' },
    { fieldname: 'starts_on', label: 'Starts On', fieldtype: 'Datetime' },
    { fieldname: 'ends_on', label: 'Ends On', fieldtype: 'Datetime' },
    { fieldname: 'deadline', label: 'Deadline', fieldtype: 'Date' },
    { fieldname: 'photo', label: 'Photo', fieldtype: 'Attach Image' },
  ],
};

/** Visits that the story makes, of its own city, so that stories do not see those of others. */
export async function visits(
  { site }: Story,
  city: string,
  count: number,
  fields: (at: number) => object = () => ({}),
) {
  for (let at = 1; at <= count; at += 1)
    await site.make('Visit', { subject: `${city} ${at}`, city, ...fields(at) });
}

/** The address of a view of the visits of a city. */
export const inCity = (city: string, as: string, more = '') =>
  `/app/d/Visit?as=${as}&filters=${encodeURIComponent(JSON.stringify([['city', '=', city]]))}${more}`;

/** The stream of changes has begun. */
export const following = (page: Page) =>
  page.waitForResponse((one) => one.url().includes('/api/events') && one.url().includes('Visit'));
