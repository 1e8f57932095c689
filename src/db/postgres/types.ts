import { TooLarge } from '../../kernel/too-large.ts';

/** How PostgreSQL's text results become the values both engines give: numbers, 0/1, dates as stored text. */
type Parser = (text: string) => string | number;

// -0 would be the one number that SQLite does not know.
const number: Parser = (text) => Number(text) + 0;
const asIs: Parser = (text) => text;

const PARSERS = new Map<number, Parser>([
  [16, (text) => (text === 't' ? 1 : 0)],
  [20, number],
  [21, number],
  [23, number],
  [26, number],
  [700, number],
  [701, number],
  [1700, number],
  [1083, (text) => withMicros(text, 8)],
  [1114, (text) => withMicros(text, 19)],
  // A timestamp with time zone: connections are set to UTC.
  [1184, (text) => withMicros(text.replace(/\+00$/, ''), 19)],
]);

/** `whole`: characters before the fraction, whose trailing zeros PostgreSQL leaves out. */
function withMicros(text: string, whole: number): string {
  return text.length === whole ? `${text}.000000` : text.padEnd(whole + 7, '0');
}

/** The driver's hook for parsing columns by the number of their type. */
export const resultTypes = { getTypeParser: (type: number) => PARSERS.get(type) ?? asIs };

/**
 * The same for one result whose texts may have `most` characters together. They throw TooLarge, and the
 * driver fails the statement.
 */
export function boundedTypes(most: number): typeof resultTypes {
  let left = most;
  return {
    getTypeParser(type) {
      const parse = resultTypes.getTypeParser(type);
      return (text) => {
        left -= text.length;
        if (left < 0) throw TooLarge.answer(most);
        return parse(text);
      };
    },
  };
}
