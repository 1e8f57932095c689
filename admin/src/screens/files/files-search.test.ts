import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesQuery, readFilesSearch, sortParameter } from './files-search.ts';

describe('the address of the files', () => {
  it('tolerates any parameters', () => {
    assert.deepEqual(readFilesSearch({ folder: 7, sort: 'owner; drop', view: ['grid'], open: '' }), {
      folder: '7',
      text: '',
      view: 'list',
      sort: { field: 'file_name', isDown: false },
      open: null,
    });
  });

  it('is parsed back unchanged', () => {
    const sort = { field: 'file_size', isDown: true } as const;
    assert.deepEqual(readFilesSearch({ sort: sortParameter(sort) }).sort, sort);
    assert.equal(sortParameter({ field: 'file_name', isDown: false }), undefined);
  });

  it('searches for exactly the typed text', () => {
    const { filters, order_by } = filesQuery({ ...readFilesSearch({ q: '100%_a\\' }) });
    assert.deepEqual(filters, [['file_name', 'like', '%100\\%\\_a\\\\%']]);
    assert.equal(order_by, 'is_folder desc, file_name asc, name asc');
  });
});
