// What spreadsheets take for a formula, also in full width, behind any number of apostrophes.
const FORMULA = /^'*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/;

/** A text that no spreadsheet runs as a formula: one apostrophe more, if it needs one. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Removes exactly what `guardFormula` has added. */
export function unguardFormula(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
