/** An oddity of a definition that is loaded all the same, and what becomes of it. */
export interface Note {
  readonly doctype: string;
  readonly message: string;
}

/** A note in one sentence. */
export function noteText({ doctype, message }: Note): string {
  const title = `DocType ${doctype}: `;
  return message.startsWith(title) ? message : title + message;
}
