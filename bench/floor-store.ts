/** The fields of a ticket that the floor keeps. */
export const FIELDS = [
  'name',
  'subject',
  'status',
  'priority',
  'raised_by',
  'description',
  'owner',
  'creation',
  'modified',
];
export const LISTED = ['name', 'subject', 'status', 'priority', 'modified'];

export type Kind = 'list' | 'filter' | 'like';

/** What the floor asks of a database; answers are JSON text made by the database. */
export interface FloorStore {
  get(name: string, done: (json: string) => void): void;
  list(kind: Kind, start: number, done: (json: string) => void): void;
  create(row: Readonly<Record<string, string>>, done: () => void): void;
  update(name: string, priority: string, done: () => void): void;
}

/** What each kind of list filters by. */
export const FILTERS: Readonly<Record<Kind, readonly string[]>> = {
  list: [],
  filter: ['Open', 'High'],
  like: ['%printer%'],
};

export function now(): string {
  return new Date().toISOString().replace('T', ' ').replace('Z', '000');
}
