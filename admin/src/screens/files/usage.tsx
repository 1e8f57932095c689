import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '../../base/format.ts';
import { tn } from '../../base/i18n.ts';
import { useUser } from '../../data/boot.ts';
import { usageQuery } from './file-data.ts';
import css from './files.module.css';

/** The user's own storage use. */
export function Usage() {
  const { name } = useUser();
  const { data } = useQuery(usageQuery(name));
  if (!data) return null;
  return (
    <p className={css['usage']}>
      {tn(data.files, 'Yours: {count} file, {size}', 'Yours: {count} files, {size}', {
        size: formatBytes(data.bytes),
      })}
    </p>
  );
}
