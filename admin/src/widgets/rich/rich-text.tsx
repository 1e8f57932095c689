import { Fragment, type ReactNode } from 'react';
import type { RichElement, RichNode } from './rich-node.ts';
import css from './rich-text.module.css';

/** Renders formatted text from data. HTML of a document never becomes HTML of the page. */
export function RichText({ nodes }: { readonly nodes: readonly RichNode[] }) {
  return (
    <div className={css['rich']} dir="auto">
      {shown(nodes)}
    </div>
  );
}

function shown(nodes: readonly RichNode[]): ReactNode {
  return nodes.map((node, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a node is identified by its position
    <Fragment key={at}>{typeof node === 'string' ? node : element(node)}</Fragment>
  ));
}

function element({ tag, children, href }: RichElement): ReactNode {
  switch (tag) {
    case 'block':
      return <div className={css['block']}>{shown(children)}</div>;
    case 'heading':
      return <div className={css['heading']}>{shown(children)}</div>;
    case 'strong':
      return <strong>{shown(children)}</strong>;
    case 'em':
      return <em>{shown(children)}</em>;
    case 'underline':
      return <u>{shown(children)}</u>;
    case 'strike':
      return <s>{shown(children)}</s>;
    case 'code':
      return <code>{shown(children)}</code>;
    case 'pre':
      return <pre>{shown(children)}</pre>;
    case 'quote':
      return <blockquote>{shown(children)}</blockquote>;
    case 'ul':
      return <ul>{items(children)}</ul>;
    case 'ol':
      return <ol>{items(children)}</ol>;
    // An item outside any list.
    case 'li':
      return <div className={css['block']}>{shown(children)}</div>;
    case 'link':
      return href === undefined ? (
        shown(children)
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {shown(children)}
        </a>
      );
    case 'mention':
      return <bdi className={css['mention']}>{shown(children)}</bdi>;
    case 'table':
      return <div className={css['table']}>{shown(children)}</div>;
    case 'tr':
      return <div className={css['row']}>{shown(children)}</div>;
    case 'td':
      return <div className={css['cell']}>{shown(children)}</div>;
    case 'break':
      return <br />;
    case 'rule':
      return <hr />;
  }
}

function items(nodes: readonly RichNode[]): ReactNode {
  return nodes
    .filter((node) => typeof node !== 'string' || node.trim() !== '')
    .map((node, at) => {
      const children = typeof node !== 'string' && node.tag === 'li' ? node.children : [node];
      // biome-ignore lint/suspicious/noArrayIndexKey: an item is identified by its position
      return <li key={at}>{shown(children)}</li>;
    });
}
