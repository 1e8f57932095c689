/**
 * A URL with several hosts, as PostgreSQL's own clients accept it (`postgres://user@a:5432,b/name`): one URL for
 * each host. Null if it cannot be read.
 */
export function hostUrls(text: string): readonly URL[] | null {
  const parts = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^@/?#]*)(.*)$/s.exec(text);
  if (!parts) return null;
  const [, before = '', hosts = '', after = ''] = parts;
  const urls = hosts.split(',').map((host) => URL.parse(`${before}${host}${after}`));
  return urls.every((url) => url !== null) ? urls : null;
}
