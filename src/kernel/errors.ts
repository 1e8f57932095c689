/**
 * Every failure a caller can cause, by its name on the wire (`exc_type`) and its HTTP status.
 * Anything thrown that is not a `ServiceError` is a bug and answers 500.
 */
export const ERRORS = {
  BadRequestError: 400,
  CSRFTokenError: 400,
  AuthenticationError: 401,
  PermissionError: 403,
  DoesNotExistError: 404,
  MethodNotAllowedError: 405,
  RequestTimeoutError: 408,
  DuplicateEntryError: 409,
  NameError: 409,
  IdempotencyInProgressError: 409,
  UploadConflictError: 409,
  PreconditionFailedError: 412,
  RequestTooLargeError: 413,
  UriTooLongError: 414,
  UnsupportedMediaTypeError: 415,
  RangeNotSatisfiableError: 416,
  ValidationError: 417,
  AttachmentLimitReached: 417,
  CancelledLinkError: 417,
  CannotChangeConstantError: 417,
  CharacterLengthExceededError: 417,
  DataError: 417,
  DocstatusTransitionError: 417,
  FileQuotaExceeded: 417,
  FileTypeNotAllowed: 417,
  FolderNotEmpty: 417,
  InvalidEmailAddressError: 417,
  InvalidPhoneNumberError: 417,
  LinkExistsError: 417,
  LinkValidationError: 417,
  MandatoryError: 417,
  MaxFileSizeReachedError: 417,
  NonNegativeError: 417,
  TimestampMismatchError: 417,
  UniqueValidationError: 417,
  UpdateAfterSubmitError: 417,
  IdempotencyError: 422,
  RateLimitExceededError: 429,
  TooManyRequestsError: 429,
  HeadersTooLargeError: 431,
  ChecksumMismatchError: 460,
  QueryTimeoutError: 503,
  ServiceUnavailableError: 503,
  InsufficientStorageError: 507,
} as const;

export type ErrorType = keyof typeof ERRORS;

/** A field of the document that was sent, for forms to show a problem beside it. */
export interface ErrorPlace {
  readonly fieldname: string;
  /** Of a row: the field of its table, and its number from 1. */
  readonly table?: string;
  readonly row?: number;
}

export interface ErrorDetails {
  /** One entry per problem, shown to the user one by one; defaults to the error's own message. Plain text. */
  readonly messages?: readonly string[];
  readonly title?: string;
  /** Where each of `messages` is at fault, in their order; null where no one field is. */
  readonly places?: readonly (ErrorPlace | null)[];
  /** Extra response headers, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure the caller can understand and act upon. The message is plain text and safe to show. */
export class ServiceError extends Error {
  readonly type: ErrorType;
  readonly details: ErrorDetails;

  constructor(type: ErrorType, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = type;
    this.type = type;
    this.details = details;
  }

  get status(): number {
    return ERRORS[this.type];
  }
}

/**
 * True for an error by which nothing was committed, for certain. After any other, such as a connection that broke, the
 * commit may have happened: what it would have made use of must stay until somebody has looked.
 */
export function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.type !== 'ServiceUnavailableError';
}
