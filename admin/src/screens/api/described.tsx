/** A text of the OpenAPI document, which is in English and marks code by backticks. */
export function Described({ text }: { readonly text: string }) {
  return (
    <span lang="en">
      {text
        .split('`')
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity
        .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
    </span>
  );
}
