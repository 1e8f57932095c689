import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addressElsewhere,
  addressOfFile,
  iconOf,
  isStored,
  isWithin,
  parentOf,
  pathTo,
  previewKind,
} from './file-item.ts';

describe('the preview of a file', () => {
  const kindOf = (extension: string, url = '/files/a') => previewKind({ extension, url, isFolder: false });

  it('never runs a document', () => {
    assert.deepEqual(
      ['SVG', 'HTML', 'XML', 'JS'].map((one) => kindOf(one)),
      ['text', 'text', 'text', 'text'],
    );
    assert.equal(kindOf('PDF'), 'none');
    assert.equal(kindOf('EXE'), 'none');
    assert.equal(kindOf('PNG'), 'image');
  });

  it('loads nothing from other sites', () => {
    for (const url of [
      'https://evil.example/a.png',
      '//evil.example/a.png',
      '/files/../a.png',
      'javascript:alert(1)',
      '',
    ])
      assert.equal(kindOf('PNG', url), 'none', url);
    assert.equal(isStored('/private/files/grüße.png'), true);
  });
});

describe('the icon of a file', () => {
  it('shows its kind', () => {
    const icon = (extension: string, url = '/files/a') => iconOf({ extension, url, isFolder: false });
    assert.deepEqual(
      ['CSV', 'PDF', 'ZIP', 'PNG', 'MP3', 'TXT', 'JSON', 'EXE'].map((one) => icon(one)),
      ['table', 'lines', 'archive', 'image', 'play', 'lines', 'code', 'file'],
    );
    assert.equal(icon('CSV', 'https://example.com/a.csv'), 'link');
  });
});

describe('addresses of files', () => {
  it('are those of the file', () => {
    assert.equal(addressOfFile('/files/a b#1?.txt'), '/files/a%20b%231%3F.txt');
    assert.equal(
      addressOfFile('/files/a.png', { side: 128, fit: 'cover' }),
      '/files/a.png?w=128&h=128&fit=cover',
    );
  });

  it('are web addresses only', () => {
    assert.equal(addressElsewhere('https://example.com/a b'), 'https://example.com/a%20b');
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'x'])
      assert.equal(addressElsewhere(url), null);
  });
});

describe('paths of folders', () => {
  it('lead from Home down', () => {
    assert.deepEqual(
      pathTo('Home/Plans/2026').map(({ path }) => path),
      ['Home', 'Home/Plans', 'Home/Plans/2026'],
    );
    assert.equal(parentOf('Home/Plans'), 'Home');
    assert.equal(parentOf('Home'), null);
  });

  it('tell which folder contains which', () => {
    assert.equal(isWithin('Home/Plans/2026', 'Home/Plans'), true);
    assert.equal(isWithin('Home/Plans', 'Home/Plans'), true);
    assert.equal(isWithin('Home/Plans2', 'Home/Plans'), false);
  });
});
