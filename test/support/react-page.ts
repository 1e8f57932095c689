import { JSDOM, VirtualConsole } from 'jsdom';
import { createElement, type FunctionComponent, type ReactNode } from 'react';
import { inTime } from './until.ts';

/** What browser code takes for granted and Node lacks or has its own of. */
const GLOBALS = [
  'window',
  'document',
  'location',
  'navigator',
  'XMLHttpRequest',
  'FormData',
  'File',
  'Blob',
  'WebSocket',
  'requestAnimationFrame',
  'cancelAnimationFrame',
] as const;

/** A hook that lives in a rendered component. */
export interface Rendered<T> {
  /** What the hook returned in the last rendering. */
  readonly current: T;
  /** Resolves to the hook's value once it is as wanted; rejects after five seconds. */
  until(wanted: (value: T) => boolean): Promise<T>;
}

export interface ReactPage {
  readonly window: JSDOM['window'];
  /** The element of this selector, once it is there; rejects after five seconds. */
  find(selector: string): Promise<Element>;
  /** Renders this instead of what was there. */
  render(node: ReactNode): void;
  /** Renders a component that calls this hook inside `wrap`, beside nothing else. */
  hook<T>(hook: () => T, wrap: (node: ReactNode) => ReactNode): Rendered<T>;
  /** Unmounts everything. The page stays open: code that was loaded in it keeps using its timers. */
  close(): void;
}

/**
 * An empty page at this address. Its globals take the place of the process's own and stay, for React works on after a
 * page is closed; a test file has a process to itself.
 */
export async function openReactPage(url: string): Promise<ReactPage> {
  const dom = new JSDOM('<!doctype html><main></main>', {
    url,
    pretendToBeVisual: true,
    // Failed requests are what some tests are about: not on the console.
    virtualConsole: new VirtualConsole(),
  });
  for (const name of GLOBALS) {
    const value: unknown = dom.window[name];
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  // Not before there is a page: it looks for one when it is loaded.
  const { createRoot } = await import('react-dom/client');
  const main = dom.window.document.querySelector('main');
  if (!main) throw new Error('the page has no main');
  const root = createRoot(main);

  function hook<T>(useIt: () => T, wrap: (node: ReactNode) => ReactNode): Rendered<T> {
    const values: T[] = [];
    const watching = new Set<(value: T) => void>();
    const Probe: FunctionComponent = () => {
      const value = useIt();
      values[0] = value;
      for (const watch of watching) watch(value);
      return null;
    };
    root.render(wrap(createElement(Probe)));
    const latest = (): T => {
      if (values.length === 0) throw new Error('not rendered yet');
      return values[0] as T;
    };
    return {
      get current() {
        return latest();
      },
      until: (wanted) =>
        inTime(
          (found) => {
            const watch = (value: T) => wanted(value) && found(value);
            watching.add(watch);
            if (values.length > 0) watch(latest());
            return () => watching.delete(watch);
          },
          () => JSON.stringify(values[0]),
        ),
    };
  }

  function find(selector: string): Promise<Element> {
    return inTime(
      (found) => {
        const look = () => {
          const element = main?.querySelector(selector);
          if (element) found(element);
        };
        const observer = new dom.window.MutationObserver(look);
        observer.observe(dom.window.document, { subtree: true, childList: true, attributes: true });
        look();
        return () => observer.disconnect();
      },
      () => `no ${selector} in ${main?.innerHTML}`,
    );
  }

  return {
    window: dom.window,
    find,
    render: (node) => root.render(node),
    hook,
    close() {
      root.unmount();
    },
  };
}
