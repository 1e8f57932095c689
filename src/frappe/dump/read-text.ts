import { ServiceError } from '../../kernel/errors.ts';
import { linesOf, requireLength } from './lines.ts';
import type { DumpColumn, DumpTable, DumpVisitor, Engine, RowHandler } from './source.ts';
import {
  bodyEnd,
  copyHead,
  createdColumn,
  createdTable,
  insertHead,
  type Quote,
  quoteAfter,
} from './statements.ts';
import { type Quoting, TextRow } from './text-row.ts';

const OPEN = 0x28;
const CLOSE = 0x29;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const DASH = 0x2d;
const BACKSLASH = 0x5c;
const QUOTE = 0x27;
const CARRIAGE_RETURN = 0x0d;
/** Bytes in which the head of an INSERT must fit: the longest name of a table, and 1,000 columns. */
const HEAD_BYTES = 128 * 1024;

/** The engine that the first bytes of a dump's text show. */
export function engineOfText(beginning: string): Engine {
  return /^-- PostgreSQL database dump/m.test(beginning) ? 'postgres' : 'mariadb';
}

/**
 * Reads the text of `mariadb-dump`, `mysqldump` or `pg_dump` in one pass and constant memory. Statements other
 * than CREATE TABLE, INSERT and COPY are passed over, as are the bodies of triggers and functions.
 */
export async function readText(
  chunks: AsyncIterable<Buffer>,
  engine: Engine,
  visitor: DumpVisitor,
): Promise<void> {
  const reader = new TextReader(engine, visitor);
  for await (const lines of linesOf(chunks)) for (const line of lines) reader.line(line);
  reader.end();
}

type State = 'top' | 'create' | 'insert' | 'copy' | 'body';

class TextReader {
  readonly #visitor: DumpVisitor;
  readonly #tables = new Map<string, DumpTable>();
  readonly #handlers = new Map<string, RowHandler | null>();
  readonly #row: TextRow;
  readonly #quoting: Quoting;
  #state: State = 'top';
  #table: DumpTable | null = null;
  #columns: DumpColumn[] = [];
  #handler: RowHandler | null = null;
  /** A row or the head of a statement, whose end is on a later line. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** In standard quoting, between two quotes: quotes within a text are doubled. */
  #isInText = false;
  /** The quote of a text or name that a line of another statement has begun, and that a later line ends. */
  #quote: Quote | null = null;
  /** The end of the line that ends the body of a function. */
  #bodyEnd = '';

  constructor(engine: Engine, visitor: DumpVisitor) {
    this.#visitor = visitor;
    this.#quoting = engine === 'mariadb' ? 'mysql' : 'standard';
    this.#row = new TextRow(this.#quoting);
  }

  line(line: Buffer): void {
    if (this.#state === 'copy') this.#copied(line);
    else if (this.#state === 'insert' && this.#handler) this.#continued(line);
    else if (this.#state === 'insert') this.#passed(line);
    else if (this.#quote !== null) this.#quote = quoteAfter(line.toString('utf8'), this.#quote);
    else if (this.#state === 'body') this.#passedBody(line.toString('utf8').trimEnd());
    else if (this.#state === 'create') this.#created(line.toString('utf8'));
    else this.#top(line);
  }

  end(): void {
    if (this.#state === 'top' && this.#quote === null) return;
    throw new ServiceError(
      'ValidationError',
      `The dump ends in the middle of ${this.#table?.name ?? 'a statement'}`,
    );
  }

  #top(line: Buffer): void {
    if (line[0] === DASH && line[1] === DASH) {
      this.#visitor.comment?.(line.toString('utf8', 2, 1_000).trim());
      return;
    }
    // The head of any statement that matters.
    const word = line.toString('latin1', 0, 12).toUpperCase();
    if (word.startsWith('CREATE TABLE')) this.#beginTable(line.toString('utf8').trimEnd());
    else if (word.startsWith('INSERT ') || word.startsWith('REPLACE ')) this.#beginInsert(line);
    else if (word.startsWith('COPY ')) this.#beginCopy(line.toString('utf8').trimEnd());
    else this.#beginBody(line.toString('utf8').trimEnd());
  }

  #beginBody(line: string): void {
    const begun = bodyEnd(line, this.#quoting);
    if (!begun) {
      this.#noteQuote(line);
      return;
    }
    this.#table = null;
    this.#bodyEnd = begun.end;
    this.#state = 'body';
    this.#passedBody(begun.rest);
  }

  // MySQL writes line ends in texts as escapes.
  #noteQuote(line: string): void {
    if (this.#quoting === 'standard') this.#quote = quoteAfter(line, null);
  }

  #passedBody(line: string): void {
    if (line.endsWith(this.#bodyEnd)) this.#state = 'top';
  }

  #beginTable(line: string): void {
    const name = createdTable(line);
    if (name === null) return;
    this.#columns = [];
    this.#table = { name, columns: this.#columns };
    this.#state = 'create';
  }

  #created(line: string): void {
    if (line.startsWith(')')) {
      if (this.#table) {
        this.#tables.set(this.#table.name, this.#table);
        this.#handlers.set(this.#table.name, this.#visitor.table(this.#table));
      }
      this.#state = 'top';
      return;
    }
    const column = createdColumn(line);
    if (column) this.#columns.push(column);
    this.#noteQuote(line);
  }

  #beginInsert(line: Buffer): void {
    const head = insertHead(line.toString('utf8', 0, Math.min(line.length, HEAD_BYTES)));
    if (!head) return;
    this.#open(head.table, head.columns);
    this.#state = 'insert';
    this.#isInText = false;
    // Characters outside ASCII are possible in names of tables.
    const start = Buffer.byteLength(line.toString('utf8', 0, HEAD_BYTES).slice(0, head.length));
    if (this.#handler) this.#inserted(line, start);
    else this.#passed(line);
  }

  #inserted(bytes: Buffer, start: number): void {
    let at = start;
    while (at < bytes.length) {
      const byte = bytes[at];
      if (byte === SEMICOLON) {
        this.#state = 'top';
        return;
      }
      if (byte !== OPEN) {
        if (byte !== COMMA && byte !== CLOSE && !isBlank(byte)) throw this.#broken();
        at += 1;
        continue;
      }
      const end = this.#row.scanTuple(bytes, at);
      if (end < 0) {
        // The row goes on: a line end within a text.
        this.#pending = [Buffer.from(bytes.subarray(at))];
        this.#pendingBytes = bytes.length - at;
        this.#isInText = isOdd(bytes.subarray(at));
        return;
      }
      this.#handler?.(this.#row);
      at = end;
    }
  }

  #continued(line: Buffer): void {
    if (this.#pendingBytes === 0) {
      this.#inserted(line, 0);
      return;
    }
    requireLength(this.#pendingBytes + line.length);
    this.#pending.push(Buffer.from('\n'), Buffer.from(line));
    this.#pendingBytes += line.length + 1;
    if (this.#quoting === 'standard' && isOdd(line)) this.#isInText = !this.#isInText;
    // Joining at each line of a long text would take time in the square of its length.
    if (this.#quoting === 'standard' && this.#isInText) return;
    const joined = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#inserted(joined, 0);
  }

  #passed(line: Buffer): void {
    if (this.#quoting === 'standard' && isOdd(line)) this.#isInText = !this.#isInText;
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 2 : line.length - 1;
    if (!this.#isInText && line[end] === SEMICOLON) this.#state = 'top';
  }

  #beginCopy(line: string): void {
    const head = copyHead(line);
    if (!head) return;
    this.#open(head.table, head.columns);
    this.#state = 'copy';
  }

  #copied(line: Buffer): void {
    if (line.length === 2 && line[0] === BACKSLASH && line[1] === 0x2e) {
      this.#state = 'top';
      return;
    }
    if (!this.#handler) return;
    this.#row.scanCopied(line);
    this.#handler(this.#row);
  }

  #open(name: string, listed: readonly string[] | null): void {
    const table = this.#tables.get(name);
    if (!table)
      throw new ServiceError('ValidationError', `The dump has rows of ${name} before its CREATE TABLE`);
    this.#table = table;
    this.#handler = this.#handlers.get(name) ?? null;
    const places = table.columns.map((column) => listed?.indexOf(column.name) ?? -1);
    this.#row.open(table.columns, listed === null ? null : places);
  }

  #broken(): ServiceError {
    return new ServiceError(
      'ValidationError',
      `A row of ${this.#table?.name ?? 'a table'} in the dump is malformed`,
    );
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

/** True when the bytes have an odd number of quotes. */
function isOdd(bytes: Buffer): boolean {
  let isOdd = false;
  for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) isOdd = !isOdd;
  return isOdd;
}
