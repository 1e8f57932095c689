import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { LIMITS } from '../kernel/limits.ts';

/** The TLS material of a webhook: PEM texts, null for the server's defaults. */
export interface TlsMaterial {
  /** Certificates of the trusted authorities, in place of the well-known ones. */
  readonly ca: string | null;
  /** The client's certificate, with its intermediates. */
  readonly certificate: string | null;
  readonly key: string | null;
  /** Equal for equal material: webhooks with the same material share connections. */
  readonly id: string;
}

/** Null when all texts are empty. */
export function tlsMaterial(ca: string, certificate: string, key: string): TlsMaterial | null {
  if (ca === '' && certificate === '') return null;
  const id = createHash('sha256')
    .update(JSON.stringify([ca, certificate, key]))
    .digest('base64');
  return { ca: ca || null, certificate: certificate || null, key: certificate && key ? key : null, id };
}

/** The problems of a webhook's texts; empty texts for absent ones. */
export function tlsProblems(ca: string, certificate: string, key: string): string[] {
  const problems = [
    ...certificateProblems('TLS Authority', ca),
    ...certificateProblems('TLS Client Certificate', certificate),
  ];
  if ((certificate === '') !== (key === '')) {
    problems.push('TLS Client Certificate and TLS Client Key belong together: set both, or neither');
  } else if (key !== '' && problems.length === 0) problems.push(...keyProblems(certificate, key));
  return problems;
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

function blocksOf(text: string): string[] {
  return text
    .split(BEGIN)
    .slice(1)
    .filter((block) => block.includes(END))
    .map((block) => `${BEGIN}${block.slice(0, block.indexOf(END))}${END}`);
}

function certificateProblems(label: string, text: string): string[] {
  if (text === '') return [];
  if (text.length > LIMITS.webhookTlsText) {
    return [`${label} is longer than ${LIMITS.webhookTlsText} characters`];
  }
  const blocks = blocksOf(text);
  if (blocks.length === 0) return [`${label} holds no certificate (PEM)`];
  return blocks.every(isCertificate) ? [] : [`${label} holds a certificate that cannot be read`];
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

function keyProblems(certificate: string, key: string): string[] {
  const [first = ''] = blocksOf(certificate);
  try {
    const fits = new X509Certificate(first).checkPrivateKey(createPrivateKey(key));
    return fits ? [] : ['TLS Client Key is not the key of the first certificate in TLS Client Certificate'];
  } catch {
    return ['TLS Client Key holds no private key (PEM) that can be read without a passphrase'];
  }
}
