/** The list's request as a curl command, so that users can fetch the same rows in a program. */
export function curlOf(origin: string, path: string, query: Readonly<Record<string, unknown>>): string {
  const lines = [
    `curl -G ${quoted(origin + path)}`,
    `-H ${quoted('Authorization: token <api_key>:<api_secret>')}`,
    ...Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === null
        ? []
        : [
            `--data-urlencode ${quoted(`${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)}`,
          ],
    ),
  ];
  return lines.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
