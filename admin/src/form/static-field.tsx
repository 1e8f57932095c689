import { t } from '../base/i18n.ts';
import type { Field } from '../meta/meta.ts';
import { labelOf } from '../meta/standard-fields.ts';
import { Button } from '../widgets/button.tsx';
import { parseHtml } from '../widgets/rich/parse-html.ts';
import { RichText } from '../widgets/rich/rich-text.tsx';
import { Tooltip } from '../widgets/tooltip.tsx';
import type { Holder } from './field-state.ts';
import css from './form.module.css';
import { useValue } from './form-context.ts';

/** Form elements without a value: Heading, HTML, Button, Image. */
export function StaticField({ field, holder }: { readonly field: Field; readonly holder: Holder }) {
  switch (field.fieldtype) {
    case 'Heading':
      return <h2 className={css['heading']}>{labelOf(field)}</h2>;
    case 'HTML':
      return <RichText nodes={parseHtml(field.options)} />;
    case 'Image':
      return <ImageField field={field} holder={holder} />;
    default:
      // The button would run a client script. The UI does not support these.
      return (
        <Tooltip label={t('This button runs a client script, which Chancery does not support')}>
          <span>
            <Button disabled>{labelOf(field)}</Button>
          </span>
        </Tooltip>
      );
  }
}

// The field's options name the field with the address. Only pictures of this server are shown.
function ImageField({ field, holder }: { readonly field: Field; readonly holder: Holder }) {
  const url = useValue(`${holder.prefix}${field.options || field.fieldname}`);
  if (typeof url !== 'string' || !/^\/(?:files|private\/files)\//.test(url)) return null;
  return <img className={css['image']} src={url} alt={labelOf(field)} />;
}
