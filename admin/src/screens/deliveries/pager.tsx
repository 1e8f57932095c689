import { t } from '../../base/i18n.ts';
import { useSetSearch } from '../../base/navigation.tsx';
import { Button } from '../../widgets/button.tsx';
import { Row } from '../../widgets/layout.tsx';
import { PAGE_LENGTH } from './use-deliveries.ts';

/** Goes to newer and older deliveries, where there are several pages. */
export function Pager({ page, length }: { readonly page: number; readonly length: number }) {
  const setSearch = useSetSearch();
  if (length < PAGE_LENGTH && page === 0) return null;
  return (
    <Row>
      <Button
        icon="start"
        disabled={page === 0}
        onClick={() => setSearch({ page: page > 1 ? page - 1 : undefined })}
      >
        {t('Newer')}
      </Button>
      <Button endIcon="end" disabled={length < PAGE_LENGTH} onClick={() => setSearch({ page: page + 1 })}>
        {t('Older')}
      </Button>
    </Row>
  );
}
