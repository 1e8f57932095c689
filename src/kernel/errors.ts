/**
 * Every failure that a caller can cause, by its name on the wire (`exc_type`) with its HTTP status. Any other
 * thrown value is a bug and answers 500.
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
  DoctypeLinkError: 417,
  FileQuotaExceeded: 417,
  FileTypeNotAllowed: 417,
  FolderNotEmpty: 417,
  HiddenAndMandatoryWithoutDefaultError: 417,
  InvalidColumnName: 417,
  InvalidEmailAddressError: 417,
  InvalidFieldNameError: 417,
  InvalidNameError: 417,
  InvalidNamingSeriesError: 417,
  InvalidPhoneNumberError: 417,
  LinkExistsError: 417,
  LinkValidationError: 417,
  MandatoryError: 417,
  MaxFileSizeReachedError: 417,
  NestedSetChildExistsError: 417,
  NonNegativeError: 417,
  NonUniqueError: 417,
  TimestampMismatchError: 417,
  UniqueFieldnameError: 417,
  UniqueValidationError: 417,
  UpdateAfterSubmitError: 417,
  WrongOptionsDoctypeLinkError: 417,
  IdempotencyError: 422,
  RateLimitExceededError: 429,
  TooManyRequestsError: 429,
  HeadersTooLargeError: 431,
  ChecksumMismatchError: 460,
  QueryTimeoutError: 503,
  ServiceUnavailableError: 503,
  OutcomeUnknownError: 504,
  InsufficientStorageError: 507,
} as const;

export type ErrorType = keyof typeof ERRORS;

/** The field of a problem in the sent document, so that a form can show the problem beside it. */
export interface ErrorPlace {
  readonly fieldname: string;
  /** For a field in a row: the field of its table, and the row's number from 1. */
  readonly table?: string;
  readonly row?: number;
}

export interface ErrorDetails {
  /** One entry per problem, each shown to the user. Default: the error's own message. Plain text. */
  readonly messages?: readonly string[];
  readonly title?: string;
  /** The field of each entry in `messages`, in order; null for a problem without a single field. */
  readonly places?: readonly (ErrorPlace | null)[];
  /** True for a refused sign-in, whose body repeats the message as `message`. */
  readonly isSignIn?: true;
  /** Extra response headers, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure that the caller can understand and act on. The message is plain text and safe to show. */
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
 * The same error, about another document than the one that was sent: each message says which, unless it names
 * it already, and no field of a form is marked.
 */
export function errorAbout(
  { type, message, details }: ServiceError,
  about: string,
  name = about,
): ServiceError {
  const named = (text: string) => (text.includes(name) ? text : `${about}: ${text}`);
  const { places: _places, messages = [message], ...rest } = details;
  return new ServiceError(type, named(message), { ...rest, messages: messages.map(named) });
}

/**
 * True for an error that guarantees that nothing was committed. After any other error, such as a broken
 * connection, the commit may have happened, so its resources must stay until a check.
 */
export function isRefusal(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError && error.type !== 'ServiceUnavailableError' && !isOutcomeUnknown(error)
  );
}

/** True when nobody can tell whether the change was committed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ServiceError && error.type === 'OutcomeUnknownError';
}
