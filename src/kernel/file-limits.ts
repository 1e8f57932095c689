/** Limits of files: uploads, downloads, the object store, images, folders, archives and the quarantine. */
export const FILE_LIMITS = {
  /** One file; the setting `uploads.maxBytes` overrides it. */
  fileBytes: 25 * 1024 * 1024,
  fileNameLength: 140,
  /** Ranges in one request for a file. With more ranges, the reply contains the whole file. */
  byteRanges: 20,
  /** How long a request waits for a thumbnail, and how long a thumbnail is kept; ms. */
  thumbnailPatience: 10_000,
  thumbnailAge: 7 * 24 * 60 * 60_000,
  uploadFields: 50,
  uploadFieldBytes: 1024 * 1024,
  /** Names, headers and boundaries of the parts of an upload. */
  uploadFormBytes: 1024 * 1024,
  /** Bytes of an upload form that is read at once. A longer one passes as a stream. */
  uploadAtOnce: 256 * 1024,
  /** Characters of the boundary of a multipart body, as in RFC 2046. */
  multipartBoundary: 70,
  /** Headers of one part of an upload. */
  uploadPartHeaders: 50,
  /** In each period of this length, an upload must send this many bytes per second. */
  uploadIdleTimeout: 30_000,
  uploadRate: 1024,
  /** In each period of this length, a client must read this many bytes per second of a pending reply. */
  readerIdleTimeout: 60_000,
  readerRate: 1024,
  /** How long the rest of a refused body is discarded, so that the client can read the refusal. */
  uploadLinger: 10_000,
  /** Object store: timeouts for connecting, for the start of a response, and for silence. */
  storageConnectTimeout: 3_000,
  storageTimeout: 10_000,
  storageIdleTimeout: 60_000,
  /** Attempts at a request for work that nobody waits for: backups, restores, moving files. */
  storageAttempts: 8,
  /** The pause after a failure of the object store; the most waiting calls, and the most connections. */
  storagePause: 3_000,
  storageWaiting: 256,
  storageSockets: 1_024,
  /** The start of a response of a backup store, the sending of a part included. */
  backupAnswer: 5 * 60_000,
  /** An image to be scaled down: its bytes and pixels, the timeout, concurrent images, and waiting images. */
  imageBytes: 50 * 1024 * 1024,
  imagePixels: 50_000_000,
  imageTimeout: 10_000,
  imagesAtOnce: 2,
  waitingImages: 32,
  /** Segments of a JPEG from which metadata is removed. Photos have hundreds. */
  photoSegments: 10_000,
  /** Nesting depth of folders below Home, folders made by one user, and files that move with a folder. */
  folderDepth: 20,
  foldersPerUser: 1_000,
  foldersMoved: 1_000,
  filesMoved: 100_000,
  /** A zip download: files and their bytes. `argumentValues` limits the requested files and folders. */
  zipFiles: 10_000,
  zipBytes: 10 * 1024 * 1024 * 1024,
  /** Unpacking a zip: entries, bytes of the unpacked files, and their ratio to the archive's size. */
  unzipEntries: 1_000,
  unzipBytes: 1024 * 1024 * 1024,
  unzipRatio: 100,
  /**
   * Uploads in parts: unfinished uploads of a user, their total bytes (or two files of the largest size), and
   * parts of one upload.
   */
  partialUploads: 20,
  partialBytes: 1024 * 1024 * 1024,
  partialPieces: 10_000,
  /** Bytes stored at a time: the most that a crash loses of an upload in parts. */
  pieceBytes: 8 * 1024 * 1024,
  /**
   * The lifetime of an inactive upload in parts, and how long a request waits for another one of the same
   * upload.
   */
  partialAge: 24 * 60 * 60_000,
  partialWait: 30_000,
  listedPartials: 100,
  /** Quarantined files: retention in ms, and number of bytes (`quarantine.bytes` overrides it). */
  quarantineAge: 7 * 24 * 60 * 60_000,
  quarantineBytes: 5 * 1024 * 1024 * 1024,
  /** With less free disk space, deleted files are not quarantined; bytes. */
  quarantineFree: 1024 * 1024 * 1024,
  /**
   * Unknown objects that one collection moves, the number that is never too many, and objects checked at a
   * start.
   */
  collectedAtOnce: 10_000,
  fewUnknown: 10,
  objectsSampled: 1_000,
} as const;
