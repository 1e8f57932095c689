import type { RefObject } from 'react';

/** Chooses files, or a folder. A button opens it. */
export function FileInput({
  at,
  label,
  isFolder = false,
  onChoose,
}: {
  readonly at: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly isFolder?: boolean;
  readonly onChoose: (files: Iterable<File>) => void;
}) {
  return (
    <input
      {...(isFolder ? { webkitdirectory: '' } : {})}
      ref={at}
      type="file"
      multiple
      hidden
      aria-label={label}
      onChange={(event) => {
        onChoose([...(event.currentTarget.files ?? [])]);
        // Reset, so that the same files can be chosen again.
        event.currentTarget.value = '';
      }}
    />
  );
}
