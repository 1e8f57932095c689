/**
 * Of every kind of file and every kind of user: what the list shows, the document opens, and the address
 * serves is the same.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { describeEither } from '../support/describe-site.ts';
import { file, fileSite } from '../support/files.ts';

const OWNERS = ['Administrator', 'writer@example.com', 'outsider@example.com', 'limited@example.com'];

interface Made {
  readonly name: string;
  readonly url: string;
  readonly what: string;
}

describeEither('rights to files', fileSite(), (files) => {
  let made: Made[];
  let viewers: Record<string, string | undefined>;
  before(async () => {
    const limited = await files.createUser('limited@example.com', ['Note Reader']);
    viewers = {
      administrator: undefined,
      writer: 'writer',
      reader: 'reader',
      outsider: 'outsider',
      limited,
      manager: await files.createUser('manager@example.com', ['System Manager']),
    };
    const [first, second] = [await files.create('Note', {}), await files.create('Note', {})];
    const own = await files.create('Case', { subject: 'own' }, 'outsider');
    const permission = { user: 'limited@example.com', allow: 'Note', for_value: first };
    await files.make('User Permission', permission);
    const places: readonly (readonly [string | null, string | null])[] = [
      [null, null],
      ['Note', first],
      ['Note', second],
      ['Case', own],
      ['User', 'outsider@example.com'],
      ['System Settings', 'System Settings'],
      // What requests cannot make, but other programs and older data may have left.
      ['Note', 'gone'],
      ['Note', null],
      ['Nonsuch', 'x'],
      ['File', 'Home'],
      ['Has Role', 'x'],
    ];
    made = [];
    for (const owner of OWNERS) {
      for (const isPrivate of ['0', '1']) {
        for (const [doctype, name] of places) {
          const what = `${owner} ${isPrivate === '1' ? 'private' : 'public'} ${doctype} ${name}`;
          const doc = await files.stored('x.txt', what, { is_private: isPrivate });
          await files.site.database.transaction((connection) =>
            connection.run(
              sql`update "File" set "owner" = ${owner}, "attached_to_doctype" = ${doctype},
                  "attached_to_name" = ${name} where "name" = ${doc.name}`,
            ),
          );
          made.push({ name: doc.name, url: doc.file_url, what });
        }
      }
    }
  });

  const ask = (method: string, path: string, as: string | undefined, headers = {}) =>
    files.request(method, path, { as, headers });

  for (const who of ['administrator', 'writer', 'reader', 'outsider', 'limited', 'manager']) {
    test(`the list, the document and the bytes agree for ${who}`, async () => {
      const as = viewers[who];
      const listed = await ask('GET', '/api/resource/File?limit_page_length=1000&fields=["name"]', as);
      const names = new Set(listed.body.data.map((row: { name: string }) => row.name));
      const counted = await ask('GET', '/api/method/frappe.client.get_count?doctype=File', as);
      assert.equal(counted.body.message, names.size);
      let refused = 0;
      for (const { name, url, what } of made) {
        const opened = (await ask('GET', file(name), as)).status;
        assert.equal(opened, names.has(name) ? 200 : 403, `${what} as a document: ${opened}`);
        const bytes = (await ask('GET', url, as)).status;
        assert.equal(bytes, names.has(name) ? 200 : 403, `${what} as bytes: ${bytes}`);
        if (names.has(name)) continue;
        refused += 1;
        // However it is asked for.
        assert.equal((await ask('HEAD', url, as)).status, 403, what);
        for (const headers of [
          { range: 'bytes=0-0' },
          { range: 'bytes=0-0,2-2' },
          { range: 'bytes=9999-' },
          { 'if-none-match': '*' },
          { 'if-match': '"x"' },
          { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() },
        ]) {
          assert.equal(
            (await ask('GET', url, as, headers)).status,
            403,
            `${what} ${JSON.stringify(headers)}`,
          );
        }
      }
      // The table would show nothing if everybody could read everything.
      if (who !== 'administrator') assert.ok(refused > 0);
    });
  }

  test('a refusal is the same, header by header, as of a file that there is not', async () => {
    const [forbidden] = made.filter(({ what }) => what.startsWith('Administrator private null'));
    for (const as of ['outsider', null]) {
      for (const more of ['', '?w=64', '?link=AAAA', '?fid=x']) {
        for (const headers of [{}, { range: 'bytes=0-1' }, { 'if-none-match': '*' }]) {
          const replies = [`${forbidden?.url}${more}`, `/private/files/unknown.txt${more}`].map((path) =>
            files.get(path, as, headers),
          );
          const [known, unknown] = (await Promise.all(replies)).map((reply) => {
            const { date: _date, 'x-request-id': _id, ...shown } = Object.fromEntries(reply.headers);
            for (const name of Object.keys(shown)) if (name.startsWith('ratelimit')) delete shown[name];
            return { status: reply.status, text: reply.text, headers: shown };
          });
          assert.deepEqual(known, unknown);
        }
      }
    }
  });
});
