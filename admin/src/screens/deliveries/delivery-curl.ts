/** A request as a curl command. */
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

/** Parses a delivery's stored headers, a JSON object. Anything else gives no headers. */
export function headersOf(text: string | null): Readonly<Record<string, string>> {
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {};
    return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, String(value)]));
  } catch {
    return {};
  }
}

// Between single quotes, the shell treats only the quote itself specially.
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
