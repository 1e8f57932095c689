import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Found } from '../../data/documents.ts';
import { isFound, LinkList, NEW } from './link-list.ts';

const NAMES = ['maple', 'maple leaf', 'pebble', 'pebble beach'];
const doc = (value: string): Found => ({ value, description: '' });

// A list that is open waits for its pause, and with it the process.
const opened = new Set<LinkList>();
afterEach(() => {
  for (const list of opened) list.look(null);
  opened.clear();
});

/** A list whose answers arrive when the test says so. */
function slowList() {
  const open: { text: string; answer: () => void }[] = [];
  const list = new LinkList({
    pause: 1_000_000,
    extras: () => [NEW],
    ask: (text) =>
      new Promise((resolve) => {
        const found = NAMES.filter((name) => name.includes(text)).map(doc);
        open.push({ text, answer: () => resolve(found) });
      }),
  });
  opened.add(list);
  const answerAll = async () => {
    while (open.length > 0) {
      open.shift()?.answer();
      await Promise.resolve();
    }
  };
  return { list, open, answerAll };
}
const type = (list: LinkList, text: string) => {
  for (let end = 1; end <= text.length; end += 1) list.look(text.slice(0, end));
};
/** Resolves after all work that waits for nothing else. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('Enter before the answer takes the first match of the typed text, not of an earlier one', async () => {
  const { list, answerAll } = slowList();
  list.look('');
  const first = list.found();
  await turn();
  await answerAll();
  assert.equal((await first).length, 4);
  type(list, 'pebble');
  assert.deepEqual(list.state.get().found, [], 'the options of the old text are gone');
  list.move(1);
  const choice = list.choice();
  await turn();
  await answerAll();
  assert.deepEqual(await choice, doc('pebble'));
});

test('keys mean the same before and after the answer', async () => {
  for (const [moves, wanted] of [
    [0, 'pebble'],
    [1, 'pebble'],
    [2, 'pebble beach'],
  ] as const) {
    const early = slowList();
    type(early.list, 'pebble');
    for (let at = 0; at < moves; at += 1) early.list.move(1);
    const choice = early.list.choice();
    await turn();
    await early.answerAll();
    assert.deepEqual(await choice, doc(wanted), `early, ${moves}`);

    const late = slowList();
    type(late.list, 'pebble');
    const found = late.list.found();
    await turn();
    await late.answerAll();
    await found;
    for (let at = 0; at < moves; at += 1) late.list.move(1);
    assert.deepEqual(await late.list.choice(), doc(wanted), `late, ${moves}`);
  }
});

test('a text typed after Enter leaves the choice open', async () => {
  const { list, answerAll } = slowList();
  list.look('maple');
  const choice = list.choice();
  await turn();
  list.look('maple l');
  await answerAll();
  assert.equal(await choice, null);
});

test('keys before the answer never create a document', async () => {
  const { list, answerAll } = slowList();
  type(list, 'nothing like it');
  for (let at = 0; at < 3; at += 1) list.move(1);
  const choice = list.choice();
  await turn();
  await answerAll();
  assert.equal(await choice, null);
  // Chosen on purpose, it does.
  list.move(1);
  assert.equal(await list.choice(), NEW);
});

test('a complete name comes before a longer one, and errors choose nothing', async () => {
  const { list, open, answerAll } = slowList();
  list.look('MAPLE');
  const none = list.choice();
  await turn();
  open[0]?.answer();
  assert.equal(await none, null, 'the fake search respects case');
  list.look('maple');
  const choice = list.choice();
  await turn();
  await answerAll();
  assert.deepEqual(await choice, doc('maple'));
  const failing = new LinkList({ ask: () => Promise.reject(new Error('no')), extras: () => [NEW] });
  failing.look('x');
  assert.equal(isFound(await failing.choice()), false);
});
