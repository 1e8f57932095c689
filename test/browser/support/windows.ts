import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { IS_FIREFOX } from '../../support/browser.ts';
import { firefoxWindow } from './firefox-window.ts';

/** What the pages of a window have in common. */
export type Look = BrowserContextOptions & { readonly baseURL: string };

/** A window of the browser, in which one page after another is opened. */
export interface Window {
  readonly look: Look;
  readonly context: BrowserContext;
  readonly problems: Problems;
  /**
   * False when a story may have changed more than its page and what that stored. No other page is opened in
   * it then.
   */
  isAsBefore: boolean;
}

/** Everything that went wrong in a window. */
export interface Problems {
  /** What is meant to appear. */
  readonly expected: RegExp[];
  /** Empties the list. */
  found(page: Page): Promise<readonly string[]>;
  forget(): void;
}

/**
 * Windows of one browser. One that was left serves the next page of the same look, because a new one has to
 * load and compile the UI again.
 */
export class Windows {
  readonly #browser: Browser;
  readonly #left: Window[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Opens a page in which nothing is stored for the origin of `look`. */
  async open(look: Look): Promise<{ readonly window: Window; readonly page: Page }> {
    const wanted = JSON.stringify(look);
    const index = this.#left.findIndex((window) => JSON.stringify(window.look) === wanted);
    const [found] = index === -1 ? [] : this.#left.splice(index, 1);
    const window = found ?? (await newWindow(this.#browser, look));
    const page = await window.context.newPage();
    if (found) await empty(found, page);
    return { window, page };
  }

  /** Closes the browser. */
  close(): Promise<void> {
    return this.#browser.close();
  }

  /** Closes the pages of a window, and it too unless the next page may be opened in it. */
  async leave(window: Window): Promise<void> {
    const { context } = window;
    // Only Chromium can empty a window of all that it stores.
    if (!window.isAsBefore || IS_FIREFOX) return context.close();
    for (const page of context.pages()) await page.close();
    this.#left.push(window);
  }
}

async function newWindow(browser: Browser, look: Look): Promise<Window> {
  const context = IS_FIREFOX ? await firefoxWindow(browser, look) : await browser.newContext(look);
  return { look, context, problems: await collectProblems(context, look.baseURL), isAsBefore: true };
}

async function empty({ look, context, problems }: Window, page: Page): Promise<void> {
  problems.forget();
  await context.clearCookies();
  const session = await context.newCDPSession(page);
  const storageTypes = 'local_storage,indexeddb,cache_storage,service_workers,file_systems';
  await session.send('Storage.clearDataForOrigin', { origin: look.baseURL, storageTypes });
  await session.detach();
}

/** What Firefox says of an event stream that ends or is refused. Chromium says nothing. */
const CUT_STREAM = /^(?:Firefox can’t establish a|The) connection to (?:the server at )?http\S+\/api\/events/;
/** A form tells now and then that it is viewed, perhaps just after its document was renamed or deleted. */
const VIEW_OF_NOTHING = /status of 403 .*\/chancery\.view_document$/;

async function collectProblems(context: BrowserContext, origin: string): Promise<Problems> {
  const lines: string[] = [];
  const expected: RegExp[] = [];
  context.on('console', (message) => {
    const isLine = message.type() === 'error' || message.type() === 'warning';
    if (isLine) lines.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  context.on('weberror', (error) => {
    const { message, stack } = error.error();
    if (!CUT_STREAM.test(message)) lines.push(`exception: ${message}\n${stack}`);
  });
  context.on('request', (request) => {
    const url = request.url();
    if (!/^(?:data|blob):/.test(url) && new URL(url).origin !== origin) lines.push(`elsewhere: ${url}`);
  });
  await context.exposeBinding('tellBreach', (_source, breach: string) => lines.push(`policy: ${breach}`));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { violatedDirective, blockedURI, sourceFile, lineNumber } = event;
      const breach = `${violatedDirective} ${blockedURI} ${sourceFile}:${lineNumber}`;
      (globalThis as unknown as { tellBreach(text: string): void }).tellBreach(breach);
    });
  });
  return {
    expected,
    forget() {
      lines.length = 0;
      expected.length = 0;
    },
    async found(page) {
      // What was running has told by the time that the page answers again.
      const ran = await page.evaluate(() => (globalThis as unknown as { ran?: string }).ran ?? null);
      const all = ran === null ? lines.splice(0) : [...lines.splice(0), `a hostile value ran: ${ran}`];
      return all.filter((line) => ![VIEW_OF_NOTHING, ...expected].some((pattern) => pattern.test(line)));
    },
  };
}
