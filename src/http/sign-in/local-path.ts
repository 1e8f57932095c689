/**
 * A redirect target on this server: a path with its query, or `/` for any text that leads, or might lead,
 * elsewhere. Browsers take `//host`, `/\host` and paths with tabs or line ends for other servers.
 */
export function localPath(text: unknown): string {
  if (typeof text !== 'string' || !/^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(text)) return '/';
  const url = URL.parse(text, 'http://here.invalid');
  // After dot segments are resolved, the path may begin with two slashes.
  if (url?.origin !== 'http://here.invalid' || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search;
}
