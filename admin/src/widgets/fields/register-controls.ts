import { registerFields } from '../../meta/field-registry.ts';
import { AttachControl } from './attach-control.tsx';
import { AutocompleteControl } from './autocomplete-control.tsx';
import { CheckControl } from './check-control.tsx';
import { CodeControl, JsonControl } from './code-control.tsx';
import { ColorControl } from './color-control.tsx';
import { DateControl } from './date-control.tsx';
import { DurationControl } from './duration-control.tsx';
import { LinkControl } from './link-control.tsx';
import { NumberControl } from './number-control.tsx';
import { PasswordControl } from './password-control.tsx';
import { RatingControl } from './rating-control.tsx';
import { RichControl } from './rich-control.tsx';
import { SelectControl } from './select-control.tsx';
import { LineControl, LinesControl } from './text-control.tsx';

/** Registers the controls of all fieldtypes with a single value. Import it for its side effect. */
registerFields({
  Attach: { Control: AttachControl },
  'Attach Image': { Control: AttachControl },
  Autocomplete: { Control: AutocompleteControl },
  Barcode: { Control: LineControl },
  Check: { Control: CheckControl },
  Code: { Control: CodeControl },
  Color: { Control: ColorControl },
  Currency: { Control: NumberControl },
  Data: { Control: LineControl },
  Date: { Control: DateControl },
  Datetime: { Control: DateControl },
  Duration: { Control: DurationControl },
  'Dynamic Link': { Control: LinkControl },
  Float: { Control: NumberControl },
  Geolocation: { Control: JsonControl },
  'HTML Editor': { Control: RichControl },
  Icon: { Control: LineControl },
  Int: { Control: NumberControl },
  JSON: { Control: JsonControl },
  Link: { Control: LinkControl },
  'Long Text': { Control: LinesControl },
  'Markdown Editor': { Control: RichControl },
  Password: { Control: PasswordControl },
  Percent: { Control: NumberControl },
  Phone: { Control: LineControl },
  Rating: { Control: RatingControl },
  'Read Only': { Control: LineControl },
  Select: { Control: SelectControl },
  Signature: { Control: LinesControl },
  'Small Text': { Control: LinesControl },
  Text: { Control: LinesControl },
  'Text Editor': { Control: RichControl },
  Time: { Control: DateControl },
});
