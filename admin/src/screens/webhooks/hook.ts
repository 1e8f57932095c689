/** A webhook of the list. */
export interface Hook {
  readonly name: string;
  readonly webhook_doctype: string;
  readonly webhook_docevent: string;
  readonly request_url: string;
  readonly enabled: 0 | 1;
}
