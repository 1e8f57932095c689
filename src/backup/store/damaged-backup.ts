/** An object of a backup store is missing, or not as it was written. */
export class DamagedBackup extends Error {
  constructor(name: string, why: string) {
    super(`The backup is damaged: object ${name}: ${why}`);
    this.name = 'DamagedBackup';
  }
}
