import { t } from '../../base/i18n.ts';

/** Reason phrases of HTTP, which no language translates. Browsers do not tell them. */
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  418: 'I’m a teapot',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
};

/** A status as `HTTP 503 Service Unavailable`. */
export function httpWords(status: number): string {
  const reason = REASONS[status];
  return reason === undefined ? `HTTP ${status}` : `HTTP ${status} ${reason}`;
}

/** An error of the log, `kind: text`, in words. */
export function errorWords(error: string): string {
  const status = /^http_status: status (\d{3})$/.exec(error)?.[1];
  if (status !== undefined) return httpWords(Number(status));
  const found = /^([a-z]+(?:_[a-z]+)*): (.*)$/s.exec(error);
  if (!found) return error;
  const [, kind = '', text = ''] = found;
  const word = kindWord(kind);
  return word === null ? text : `${word}: ${text}`;
}

/** What kinds of errors mean; null where their text says it. */
function kindWord(kind: string): string | null {
  switch (kind) {
    case 'blocked_address':
      return t('Address not allowed');
    case 'connection_refused':
      return t('Connection refused');
    case 'connection_reset':
      return t('Connection closed by the receiver');
    case 'dns_error':
      return t('Host name not found');
    case 'invalid_response':
      return t('Invalid response');
    case 'redirect':
      return t('Redirect not followed');
    case 'render_error':
      return t('Payload could not be rendered');
    case 'timeout':
      return t('Timeout');
    case 'tls_error':
      return t('TLS error');
    default:
      return null;
  }
}
