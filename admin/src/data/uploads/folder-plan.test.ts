import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planFolders } from './folder-plan.ts';
import { gatherChosen, gatherDropped } from './gathered.ts';

describe('folders to make for files', () => {
  it('appear once each, after their parent', () => {
    const file = new File([], 'a');
    const files = [
      { file, folder: ['Plans', '2026', 'May'] },
      { file, folder: [] },
      { file, folder: ['Plans'] },
    ];
    assert.deepEqual(planFolders({ files, emptyFolders: [['Plans', 'Empty']] }), [
      { key: 'Plans', parentKey: '', title: 'Plans' },
      { key: 'Plans/2026', parentKey: 'Plans', title: '2026' },
      { key: 'Plans/2026/May', parentKey: 'Plans/2026', title: 'May' },
      { key: 'Plans/Empty', parentKey: 'Plans', title: 'Empty' },
    ]);
  });

  it('get names that the server accepts', () => {
    const files = [{ file: new File([], 'a'), folder: ['Gro\u0308\u00dfe\u202e ', '__proto__'] }];
    const titles = planFolders({ files, emptyFolders: [] }).map(({ title }) => title);
    assert.deepEqual(titles, ['Gr\u00f6\u00dfe', '__proto__']);
  });
});

describe('gathering files', () => {
  it('reads the folders of a folder chooser', () => {
    const file = Object.assign(new File([], 'a.txt'), { webkitRelativePath: 'Plans/May/a.txt' });
    assert.deepEqual(gatherChosen([file]).files, [{ file, folder: ['Plans', 'May'] }]);
  });

  it('reads dropped folders completely, in any number of reads', async () => {
    const file = new File(['x'], 'x');
    const entryOf = (name: string) => ({
      isFile: true,
      name,
      file: (give: (file: File) => void) => give(file),
    });
    const folderOf = (name: string, ...reads: unknown[][]) => ({
      isFile: false,
      name,
      createReader: () => ({ readEntries: (give: (some: unknown[]) => void) => give(reads.shift() ?? []) }),
    });
    const unreadable = { isFile: true, name: 'gone', file: (_: unknown, fail: () => void) => fail() };
    const root = folderOf(
      'Root',
      [entryOf('a'), folderOf('Sub', [entryOf('b')])],
      [entryOf('c'), unreadable],
      [],
    );
    const item = (entry: unknown) => ({ kind: 'file', webkitGetAsEntry: () => entry });
    const items = [item(root), item(folderOf('Empty')), { kind: 'string' }];
    const { files, emptyFolders } = await gatherDropped({ items } as unknown as DataTransfer);
    assert.deepEqual(
      files.map(({ folder }) => folder.join('/')),
      ['Root', 'Root/Sub', 'Root'],
    );
    assert.deepEqual(emptyFolders, [['Empty']]);
  });
});
