import css from './api.module.css';

/** Code in its own scroll area, from left to right in every language. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be scrollable by keyboard
    <section className={css['code']} aria-label={label} tabIndex={0} dir="ltr">
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  );
}
