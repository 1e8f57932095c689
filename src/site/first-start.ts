/** What the terminal shows once. */
export interface FirstStart {
  /** Null when it came from the configuration or was not made. */
  readonly password: string | null;
  /** `key:secret`; null when it came from the configuration or was not made. */
  readonly apiKey: string | null;
}
