/**
 * Where to go on this server: a path with its query, or `/` for anything that leads, or might lead, elsewhere. Browsers
 * read `//host`, `/\host` and paths with tabs or line ends in them as other servers.
 */
export function localPath(text: unknown): string {
  if (typeof text !== 'string' || !/^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(text)) return '/';
  const url = URL.parse(text, 'http://here.invalid');
  // Dots may leave two slashes at the start.
  if (url?.origin !== 'http://here.invalid' || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search;
}
