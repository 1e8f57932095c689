import { setImmediate } from 'node:timers/promises';
import type { Transporter } from 'nodemailer';
import type { Config } from '../../config/config.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Observer } from '../../kernel/observation.ts';

/** Plain text to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends mail outside of the requests that cause it. */
export interface Mailer {
  /** False when the configuration has no mail server, no sender, or no address of the site for links. */
  readonly isConfigured: boolean;
  /**
   * Prepares and sends a mail later; null sends none. The caller learns neither the outcome nor the time it
   * takes: failures are observed. Beyond `LIMITS.waitingMails` nothing is sent.
   */
  later(prepare: () => Promise<Mail | null>): void;
  /** Waits for the mails in progress. */
  settled(): Promise<void>;
  /** Waits for the mails in progress, and disconnects. */
  close(): Promise<void>;
}

/** A mailer for `mail.url`. */
export function openMailer(config: Pick<Config, 'mail' | 'siteUrl'>, observe: Observer): Mailer {
  const { url, from } = config.mail;
  const isConfigured = url !== null && from !== null && config.siteUrl !== null;
  const connection = url === null ? null : connectionTo(url);
  let transport: Transporter | null = null;
  const pending = new Set<Promise<void>>();

  async function run(prepare: () => Promise<Mail | null>): Promise<void> {
    try {
      // The answer to the request goes out first.
      await setImmediate();
      const mail = await prepare();
      if (mail === null || connection === null || from === null || !isAddress(mail.to)) return;
      // Loaded with the first mail: the library takes a tenth of the start time.
      const { createTransport } = await import('nodemailer');
      transport ??= createTransport(connection);
      // An object is one address, whatever its text; plain text would be parsed as a list.
      const to = { name: '', address: mail.to };
      await transport.sendMail({
        from,
        to,
        subject: mail.subject,
        text: mail.text,
        disableFileAccess: true,
        disableUrlAccess: true,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      observe({ kind: 'mail_sent' });
    } catch (error) {
      observe({ kind: 'unexpected', where: 'sending mail', error });
    }
  }

  return {
    isConfigured,
    later(prepare) {
      if (pending.size >= LIMITS.waitingMails) {
        observe({ kind: 'warning', message: `A mail was not sent: ${pending.size} are waiting` });
        return;
      }
      const sending = run(prepare);
      pending.add(sending);
      void sending.then(() => pending.delete(sending));
    },
    settled: async () => void (await Promise.all(pending)),
    async close() {
      await Promise.all(pending);
      transport?.close();
    },
  };
}

// Each option by itself, so that the URL cannot set other options.
function connectionTo(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // Never sends a password unencrypted.
    requireTLS: !secure && username !== '' && !isLocal,
    connectionTimeout: LIMITS.mailTimeout,
    greetingTimeout: LIMITS.mailTimeout,
    socketTimeout: LIMITS.mailTimeout,
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  };
}

/** True for exactly one address, without other text. */
function isAddress(text: string): boolean {
  return /^[^\s<>,;:"@()[\]\\\p{Cc}]+@[^\s<>,;:"@()[\]\\\p{Cc}]+$/u.test(text);
}
