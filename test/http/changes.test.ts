/** What requests change: the events that they commit, and the deliveries that they write. */

import { describeEither } from '../support/describe-site.ts';
import { notes } from '../support/notes/app.ts';
import { scenario } from '../support/scenario.ts';

const HOOK = { webhook_doctype: 'Note', request_url: 'http://127.0.0.1:9/' };
const ONE = '/api/resource/Note/one';

describeEither('changes', { apps: [notes], users: { reader: ['Note Reader'] } }, (site) => {
  const events = (...names: readonly string[]) => names.map((name) => `Note.${name} one`);
  const rows = [
    {
      title: 'each change commits its events, and writes the deliveries of the webhooks that ask for them',
      request: 'POST /api/resource/Webhook',
      body: { ...HOOK, name: 'made', webhook_docevent: 'after_insert' },
      events: ['Webhook.after_insert made', 'Webhook.on_change made'],
    },
    {
      request: 'POST /api/resource/Webhook',
      body: { ...HOOK, name: 'sent', webhook_docevent: 'on_submit' },
      events: ['Webhook.after_insert sent', 'Webhook.on_change sent'],
    },
    {
      request: 'POST /api/resource/Note',
      body: { name: 'one', title: 'T' },
      events: events('after_insert', 'on_change'),
      deliveries: 1,
    },
    { request: `PUT ${ONE}`, body: { pages: 2 }, events: events('on_update', 'on_change') },
    {
      request: `PUT ${ONE}`,
      body: { docstatus: 1 },
      events: events('on_submit', 'on_change'),
      deliveries: 1,
    },
    { request: `PUT ${ONE}`, body: { docstatus: 2 }, events: events('on_cancel', 'on_change') },
    { request: `DELETE ${ONE}`, events: events('on_trash') },

    { title: 'a read writes nothing', request: 'GET /api/resource/Note' },
    { request: 'GET /api/v2/document/Note' },

    {
      title: 'a refused change writes nothing',
      request: 'POST /api/resource/Note',
      body: { name: 'two' },
      error: 'MandatoryError',
    },
    {
      request: 'POST /api/resource/Note',
      as: 'reader',
      body: { name: 'two', title: 'T' },
      error: 'PermissionError',
    },
    {
      request: 'POST /api/method/frappe.client.insert_many',
      body: { docs: [{ doctype: 'Note', title: 'T' }, {}] },
      error: 'ValidationError',
    },
  ];
  scenario(site, rows, { strict: true });
});
