import { useEffect, useState } from 'react';
import type { DeliveryDetails } from '../../data/deliveries.ts';
import { bodySignature, canSign, checkSignature } from './signature.ts';

/** The header that a signature matches; null before there is one to check. */
export type Verdict = 'body' | 'hub' | 'standard' | 'wrong' | null;

/** Checks a received signature against a body, and computes the body's own. */
export function useVerdict(
  delivery: DeliveryDetails,
  bytes: Uint8Array<ArrayBuffer>,
  { secret, signature, timestamp }: Readonly<Record<'secret' | 'signature' | 'timestamp', string>>,
) {
  const [verdict, setVerdict] = useState<Verdict>(null);
  const [own, setOwn] = useState('');
  useEffect(() => {
    let isLatest = true;
    const received = {
      secret: secret.trim(),
      bytes,
      signature,
      id: delivery.webhook_id,
      timestamp: timestamp.trim(),
    };
    const check = async () => {
      const computed = received.secret === '' ? '' : await bodySignature(received.secret, bytes);
      const found = await checkSignature(received);
      if (!isLatest) return;
      setOwn(computed);
      setVerdict(received.secret === '' || signature.trim() === '' ? null : (found ?? 'wrong'));
    };
    if (canSign()) void check();
    return () => {
      isLatest = false;
    };
  }, [secret, signature, timestamp, bytes, delivery.webhook_id]);
  return { verdict, own };
}
