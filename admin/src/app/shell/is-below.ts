/** Whether a path is that of a link of the sidebar, or below it: a record's is below its list. */
export function isBelow(path: string, of: string): boolean {
  if (of === '/') return path === '/' || path === '';
  const here = plain(path);
  const there = plain(of);
  return here === there || here.startsWith(`${there}/`) || here === there.replace(/^\/d\//, '/new/');
}

// The router's paths lack some escapes of addresses, such as those of spaces.
function plain(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
