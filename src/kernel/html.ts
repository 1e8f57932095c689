/** HTML text. `html` escapes every value except those of this class. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Builds HTML: `html\`<p>${name}</p>\``. Lists are joined; null is empty. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[] | null)[]
): Html {
  let text = parts[0] ?? '';
  values.forEach((value, index) => {
    text += htmlText(value) + (parts[index + 1] ?? '');
  });
  return new Html(text);
}

function htmlText(value: string | Html | readonly Html[] | null): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
  return value.map(htmlText).join('');
}
