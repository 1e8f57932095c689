import { useState } from 'react';
import { usePart } from '../../base/use-part.ts';
import { useUser } from '../../data/boot.ts';
import { type NewSecret, refreshKeys } from '../users/key-data.ts';

const loadForm = async () => (await import('../users/key-form.tsx')).KeyForm;
const loadSecret = async () => (await import('../users/key-secret.tsx')).KeySecret;

/** Creates a key of the user, and shows its secret with a command. */
export function NewKey({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { name } = useUser();
  const [secret, setSecret] = useState<NewSecret | null>(null);
  const KeyForm = usePart(isOpen, loadForm);
  const KeySecret = usePart(isOpen, loadSecret);
  const show = (made: NewSecret) => {
    setSecret(made);
    void refreshKeys();
  };
  return (
    <>
      {isOpen && KeyForm && <KeyForm user={name} of={null} onClose={onClose} onMade={show} />}
      {KeySecret && secret && <KeySecret secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}
