/** frappe-react-sdk, unmodified: its hooks in components that React renders into a page of jsdom. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { createElement, type ReactNode, useContext, useState } from 'react';
import crm from '../../apps/crm/app.ts';
import { describeEither } from '../support/describe-site.ts';
import { openReactPage, type ReactPage } from '../support/react-page.ts';

type Sdk = typeof import('frappe-react-sdk');
type Settings = Parameters<Sdk['FrappeProvider']>[0];

interface Ticket {
  name: string;
  subject: string;
  status: string;
}

const ADMINISTRATOR = { username: 'Administrator', password: 'admin-password' };
/** Where a front end of somebody's own is served from. */
const ELSEWHERE = 'http://app.example:3000';

describeEither('frappe-react-sdk', { apps: [crm], config: { allowCors: [ELSEWHERE] } }, (site) => {
  let page: ReactPage;
  let sdk: Sdk;
  before(async () => {
    page = await openReactPage(site.url);
    // Not before there is a page: it looks for one when it is loaded.
    sdk = createRequire(import.meta.url)('frappe-react-sdk');
  });
  after(async () => {
    page?.close();
  });

  /** As an application wraps itself, with a cache of its own. */
  function provider(settings: Settings = {}): (node: ReactNode) => ReactNode {
    const swrConfig = { provider: () => new Map() };
    const given: Settings = { enableSocket: false, swrConfig, ...settings };
    return (node) => createElement(sdk.FrappeProvider, given, node);
  }
  const render = <T>(hook: () => T, settings?: Settings) => page.hook(hook, provider(settings));

  async function signIn(): Promise<void> {
    const auth = render(() => sdk.useFrappeAuth());
    const { login } = await auth.until((value) => !value.isLoading);
    await login(ADMINISTRATOR);
    await auth.until((value) => value.currentUser === 'Administrator');
  }

  async function makeTicket(subject: string): Promise<Ticket> {
    return await site.make('Ticket', { subject });
  }

  test('useFrappeAuth: signs in, knows the user from the cookie, signs out', async () => {
    const auth = render(() => sdk.useFrappeAuth());
    const guest = await auth.until((value) => !value.isLoading);
    assert.equal(guest.currentUser, undefined);
    await assert.rejects(
      guest.login({ ...ADMINISTRATOR, password: 'wrong' }),
      (error: { httpStatus: number }) => error.httpStatus === 401,
    );
    assert.equal((await guest.login(ADMINISTRATOR)).message, 'Logged In');
    const signedIn = await auth.until((value) => value.currentUser === 'Administrator');
    assert.match(page.window.document.cookie, /user_id=Administrator/);
    assert.doesNotMatch(page.window.document.cookie, /sid=/);
    await signedIn.logout();
    await auth.until((value) => !value.currentUser);
    const again = render(() => sdk.useFrappeAuth());
    assert.equal((await again.until((value) => !value.isLoading)).currentUser, undefined);
  });

  test('an application: lists, creates by a form, shows the new document in its list', async () => {
    await signIn();
    function Desk(): ReactNode {
      const [subject, setSubject] = useState('');
      const list = sdk.useFrappeGetDocList<Ticket>('Ticket', {
        fields: ['name', 'subject', 'status'],
        filters: [['subject', 'like', 'By form%']],
        orderBy: { field: 'creation', order: 'desc' },
        limit: 10,
      });
      const { createDoc } = sdk.useFrappeCreateDoc<Partial<Ticket>>();
      const create = async () => {
        await createDoc('Ticket', { subject });
        await list.mutate();
      };
      const rows = (list.data ?? []).map((row) => createElement('li', { key: row.name }, row.subject));
      return createElement(
        'form',
        {},
        createElement('button', { type: 'button', onClick: () => setSubject('By form, 1 < 2') }, 'fill'),
        createElement('button', { type: 'button', onClick: create, 'data-subject': subject }, 'create'),
        createElement('ul', { 'data-loaded': !list.isLoading }, rows),
      );
    }
    page.render(provider()(createElement(Desk)));
    await page.find('ul[data-loaded=true]:empty');
    const click = async (selector: string) => {
      (await page.find(selector)).dispatchEvent(new page.window.MouseEvent('click', { bubbles: true }));
    };
    await click('button');
    await click('button[data-subject^=By]');
    assert.equal((await page.find('li')).textContent, 'By form, 1 < 2');
  });

  test('hooks for documents: create, get, update, count, delete', async () => {
    await signIn();
    const { name } = await makeTicket('In hooks');
    const rendered = render(() => ({
      doc: sdk.useFrappeGetDoc<Ticket>('Ticket', name),
      count: sdk.useFrappeGetDocCount<Ticket>('Ticket', [['subject', '=', 'In hooks']]),
      update: sdk.useFrappeUpdateDoc<Ticket>(),
      remove: sdk.useFrappeDeleteDoc(),
    }));
    const { doc, update, remove } = await rendered.until((now) => !!now.doc.data && !!now.count.data);
    assert.deepEqual([doc.data?.subject, rendered.current.count.data], ['In hooks', 1]);
    assert.equal((await update.updateDoc('Ticket', name, { status: 'Replied' })).status, 'Replied');
    await rendered.until((now) => now.update.isCompleted);
    await doc.mutate();
    await rendered.until((now) => now.doc.data?.status === 'Replied');
    assert.equal((await remove.deleteDoc('Ticket', name)).message, 'ok');
    assert.equal((await site.request('GET', `/api/resource/Ticket/${name}`)).status, 404);
  });

  test('hooks for methods and links: get, post, put, search', async () => {
    await signIn();
    const { name } = await makeTicket('Called');
    const rendered = render(() => ({
      get: sdk.useFrappeGetCall<{ message: number }>('frappe.client.get_count', {
        doctype: 'Ticket',
        filters: { name },
      }),
      post: sdk.useFrappePostCall<{ message: { priority: string } }>('crm.escalate'),
      put: sdk.useFrappePutCall<{ message: Ticket }>('frappe.client.set_value'),
      search: sdk.useSearch('Ticket', 'Calle', [], 5, 0),
    }));
    const { get, post, put, search } = await rendered.until((now) => !!now.get.data && !!now.search.data);
    assert.equal(get.data?.message, 1);
    assert.deepEqual(
      search.data?.message.map((found) => found.value),
      [name],
    );
    assert.equal((await post.call({ ticket: name })).message.priority, 'High');
    await rendered.until((now) => now.post.isCompleted && now.post.result?.message.priority === 'High');
    const set = { doctype: 'Ticket', name, fieldname: 'status', value: 'Closed' };
    assert.equal((await put.call(set)).message.status, 'Closed');
  });

  test('hooks show what was wrong', async () => {
    await signIn();
    const rendered = render(() => ({
      get: sdk.useFrappeGetDoc<Ticket>('Ticket', 'TICK-99999', undefined, { shouldRetryOnError: false }),
      create: sdk.useFrappeCreateDoc<Partial<Ticket>>(),
    }));
    const { get, create } = await rendered.until((now) => !!now.get.error);
    assert.deepEqual([get.error?.httpStatus, get.error?.exc_type], [404, 'DoesNotExistError']);
    await assert.rejects(create.createDoc('Ticket', { status: 'Open' }));
    const failed = await rendered.until((now) => !!now.create.error);
    assert.match(String(failed.create.error?.exception), /MandatoryError: .*subject/);
    assert.match(String(failed.create.error?._server_messages), /Subject/);
  });

  test('useFrappeFileUpload: uploads with progress', async () => {
    await signIn();
    const { name } = await makeTicket('With file');
    const rendered = render(() => sdk.useFrappeFileUpload());
    const { upload } = await rendered.until((value) => !!value.upload);
    const bytes = new page.window.File(['x'.repeat(100_000)], 'größe & so.txt', { type: 'text/plain' });
    const file = await upload(bytes, { doctype: 'Ticket', docname: name, isPrivate: true });
    assert.deepEqual([file.file_name, file.is_private, file.file_size], ['größe & so.txt', 1, 100_000]);
    assert.equal(file.attached_to_name, name);
    const done = await rendered.until((value) => value.isCompleted);
    assert.equal(done.progress, 100);
  });

  test('listening to changes without a socket breaks nothing', async () => {
    await signIn();
    const { name } = await makeTicket('Listened to');
    const settings = { enableSocket: true, siteName: 'site', socketPort: new URL(site.url).port };
    const rendered = render(() => {
      sdk.useFrappeDocTypeEventListener('Ticket', () => {});
      sdk.useFrappeDocumentEventListener('Ticket', name, () => {});
      return {
        socket: useContext(sdk.FrappeContext)?.socket,
        doc: sdk.useFrappeGetDoc<Ticket>('Ticket', name),
      };
    }, settings);
    const { socket, doc } = await rendered.until((now) => !!now.doc.data);
    assert.equal(doc.data?.subject, 'Listened to');
    const refused = await new Promise<Error>((resolve) => socket?.once('connect_error', resolve));
    socket?.disconnect();
    assert.ok(refused);
    const again = await doc.mutate();
    assert.equal(again?.subject, 'Listened to');
  });

  test('with a token, from a page of another origin', async () => {
    const { name } = await makeTicket('From elsewhere');
    page.close();
    page = await openReactPage(ELSEWHERE);
    const tokenParams = { useToken: true, token: () => site.adminKey, type: 'token' } as const;
    const rendered = render(
      () => ({
        auth: sdk.useFrappeAuth(),
        doc: sdk.useFrappeGetDoc<Ticket>('Ticket', name),
        update: sdk.useFrappeUpdateDoc<Ticket>(),
      }),
      { url: site.url, tokenParams },
    );
    const { auth, doc, update } = await rendered.until((now) => !!now.auth.currentUser && !!now.doc.data);
    assert.deepEqual([auth.currentUser, doc.data?.subject], ['Administrator', 'From elsewhere']);
    assert.equal((await update.updateDoc('Ticket', name, { status: 'Closed' })).status, 'Closed');
  });
});
