import type { ListText } from '../../src/document/list/list-stream.ts';

/** The text of a list, whichever way it comes. */
export async function wholeText(list: ListText | Promise<ListText>): Promise<string> {
  const text = await list;
  return typeof text === 'string' ? text : (await all(text)).join('');
}

async function all(pieces: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}
