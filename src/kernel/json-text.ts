import { TooLarge } from './too-large.ts';

/**
 * The JSON text of a value that may be large.
 * @throws TooLarge when the text is longer than JavaScript can hold
 */
export function jsonText(value: unknown): string {
  return boundedText(() => JSON.stringify(value));
}

/**
 * A text that code makes and that may be large.
 * @throws TooLarge when the text is longer than JavaScript can hold
 */
export function boundedText(make: () => string): string {
  try {
    return make();
  } catch (error) {
    throw error instanceof RangeError && error.message === 'Invalid string length'
      ? TooLarge.answer()
      : error;
  }
}
