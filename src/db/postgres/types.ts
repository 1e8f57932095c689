import { TooLarge } from '../../kernel/too-large.ts';

/** Converts PostgreSQL's text results into the values of both engines: numbers, 0/1, dates as stored text. */
type Parser = (text: string) => string | number;

// Adding 0 turns -0 into 0: SQLite has no -0.
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
  // A timestamp with time zone. Connections use UTC.
  [1184, (text) => withMicros(text.replace(/\+00$/, ''), 19)],
]);

/** `whole`: the number of characters before the fraction. PostgreSQL omits trailing zeros of the fraction. */
function withMicros(text: string, whole: number): string {
  return text.length === whole ? `${text}.000000` : text.padEnd(whole + 7, '0');
}

/** The driver's hook that parses columns by the OID of their type. */
export const resultTypes = { getTypeParser: (type: number) => PARSERS.get(type) ?? asIs };

/**
 * Type parsers for one result with at most `most` characters of text. They throw TooLarge, and the driver
 * fails the statement.
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
