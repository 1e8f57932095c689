/** An object of a backup store is missing, or not as it was written. */
export class DamagedBackup extends Error {
  constructor(name: string, why: string) {
    super(`The backup is damaged: object ${name}: ${why}`);
    this.name = 'DamagedBackup';
  }
}

/** For `catch`, where a damaged object is passed over. */
export function nullIfDamaged(error: unknown): null {
  if (error instanceof DamagedBackup) return null;
  throw error;
}
