import css from './layout.module.css';

/** A text with the search term marked. */
export function Highlight({ text, part }: { readonly text: string; readonly part: string }) {
  const at = part.trim() === '' ? -1 : text.toLowerCase().indexOf(part.trim().toLowerCase());
  if (at < 0) return <>{text}</>;
  const end = at + part.trim().length;
  return (
    <>
      {text.slice(0, at)}
      <mark className={css['mark']}>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  );
}
