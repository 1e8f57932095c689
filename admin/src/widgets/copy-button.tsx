import { useEffect, useState } from 'react';
import { announce } from '../base/announce.ts';
import { t } from '../base/i18n.ts';
import { toast } from '../base/toasts.ts';
import { Button, IconButton } from './button.tsx';

/** Copies a text and announces it. Shows `children` as its text, otherwise an icon. */
export function CopyButton({
  text,
  label,
  children,
  isSmall,
}: {
  readonly text: string | (() => string);
  readonly label?: string;
  readonly children?: string;
  readonly isSmall?: boolean;
}) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setCopied(true);
      announce(t('Copied'));
    } catch {
      // The page is not served over HTTPS, or the browser denied access. The user can select the text
      // instead.
      toast('error', t('The browser blocked copying. Select the text instead'));
    }
  };
  const icon = isCopied ? 'check' : 'copy';
  if (children === undefined)
    return <IconButton label={label ?? t('Copy')} icon={icon} isSmall={isSmall} onClick={copy} />;
  return (
    <Button icon={icon} onClick={copy}>
      {isCopied ? t('Copied') : children}
    </Button>
  );
}
