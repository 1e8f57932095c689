import { isRecord } from '../../src/kernel/value.ts';
import type { FuzzRequest } from './requests.ts';
import type { FuzzReply } from './send.ts';

/** What is wrong with a reply; null when nothing is. */
export function complaint(request: FuzzRequest, reply: FuzzReply): string | null {
  const { status, headers, text, json } = reply;
  if (status >= 500) return `answers ${status}`;
  if (status < 200) return `answers ${status}`;
  if (typeof headers['x-request-id'] !== 'string') return 'has no X-Request-Id';
  if (request.method === 'HEAD' || status === 204 || status === 304) {
    return text === '' ? null : 'has a body where there is none';
  }
  const isJson = String(headers['content-type']).startsWith('application/json');
  const isFile = request.path.includes('files/') || request.path.includes('file_url');
  if (isJson && json === undefined && !isFile) return 'calls JSON what is none';
  if (status < 400) return isRecord(json) && 'exc' in json && isJson ? 'holds exc on success' : null;
  // The page to sign in on says in words what was wrong.
  const isPage =
    /^\/(?:login|update-password)/.test(request.path) &&
    String(headers['content-type']).startsWith('text/html');
  const type = isPage ? 'Page' : errorType(json);
  if (type === null) return 'is a refusal without exc_type';
  const leak = LEAKS.exec(text)?.[0];
  return leak === undefined || isEcho(request, leak) ? null : `gives away ${JSON.stringify(leak)}`;
}

/** The type of a refusal in either version of the interface. */
function errorType(json: unknown): string | null {
  if (!isRecord(json)) return null;
  if (typeof json.exc_type === 'string' && typeof json.exc === 'string') return json.exc_type;
  const [first] = Array.isArray(json.errors) ? json.errors : [];
  return isRecord(first) && typeof first.type === 'string' ? first.type : null;
}

const LEAKS =
  /\\n\s+at |\bat \S+ \(|node_modules|\.ts:\d+|\/tmp\/|\/src\/|\bSQLITE_\w+|syntax error at|violates \w+ constraint|"tab(?!le")\w*"|\bselect\b.{1,80}\bfrom\b|\bTypeError\b|\bcannot read propert/i;

// A refusal may repeat what was sent.
function isEcho({ path, body }: FuzzRequest, leak: string): boolean {
  const sent = `${decoded(path)}\n${body?.toString('utf8') ?? ''}`;
  return sent.toLowerCase().includes(leak.toLowerCase().replaceAll('\\n', ''));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
