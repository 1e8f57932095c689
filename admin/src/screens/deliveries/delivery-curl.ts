/** A request as a command for a shell. */
export function curlOf(request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): string {
  const lines = [
    `curl -X ${request.method} ${quoted(request.url)}`,
    ...Object.entries(request.headers).map(([key, value]) => `-H ${quoted(`${key}: ${value}`)}`),
    ...(request.body === '' ? [] : [`--data-binary ${quoted(request.body)}`]),
  ];
  return lines.join(' \\\n  ');
}

/** Headers as a delivery keeps them, JSON of an object; anything else is none. */
export function headersOf(text: string | null): Readonly<Record<string, string>> {
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {};
    return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, String(value)]));
  } catch {
    return {};
  }
}

// Nothing is special to a shell between single quotes but the quote itself.
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
