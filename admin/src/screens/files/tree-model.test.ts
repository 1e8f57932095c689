import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { treeMove, visibleNodes } from './tree-model.ts';

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  Home: ['Attachments', 'Plans', 'Zoo'],
  'Home/Plans': ['2026', '2027'],
  'Home/Plans/2026': [],
};
const childrenOf = (path: string) => FOLDERS[path]?.map((title) => ({ path: `${path}/${title}`, title }));
const nodesOf = (...open: string[]) =>
  visibleNodes({ path: 'Home', title: 'Home' }, new Set(open), childrenOf, (path) =>
    path === 'Home/Zoo' ? 0 : undefined,
  );

describe('the tree of folders', () => {
  it('shows the contents of open folders, with their depth', () => {
    const nodes = nodesOf('Home', 'Home/Plans', 'Home/Plans/2026', 'Home/Zoo');
    assert.deepEqual(
      nodes.map(({ title, level, position, siblings, hasChildren, isOpen }) =>
        [title, level, `${position}/${siblings}`, hasChildren, isOpen].join(' '),
      ),
      [
        'Home 1 1/1 true true',
        'Attachments 2 1/3 true false',
        'Plans 2 2/3 true true',
        '2026 3 1/2 false false',
        '2027 3 2/2 true false',
        'Zoo 2 3/3 false false',
      ],
    );
  });

  it('can be navigated by keyboard', () => {
    const nodes = nodesOf('Home', 'Home/Plans');
    assert.deepEqual(treeMove(nodes, 0, 'ArrowDown'), { to: 1 });
    assert.equal(treeMove(nodes, 0, 'ArrowUp'), null);
    assert.deepEqual(treeMove(nodes, 1, 'ArrowRight'), { open: 'Home/Attachments' });
    assert.deepEqual(treeMove(nodes, 2, 'ArrowRight'), { to: 3 });
    assert.deepEqual(treeMove(nodes, 2, 'ArrowLeft'), { close: 'Home/Plans' });
    assert.deepEqual(treeMove(nodes, 3, 'ArrowLeft'), { to: 2 });
    assert.deepEqual(treeMove(nodes, 3, 'ArrowRight', true), { to: 2 });
    assert.deepEqual(treeMove(nodes, 3, 'Enter'), { choose: 'Home/Plans/2026' });
    assert.deepEqual(treeMove(nodes, 0, 'z'), { to: 5 });
    assert.deepEqual(treeMove(nodes, 5, 'p'), { to: 2 });
    assert.equal(treeMove(nodes, 0, 'q'), null);
    assert.equal(treeMove(nodes, 9, 'End'), null);
  });
});
