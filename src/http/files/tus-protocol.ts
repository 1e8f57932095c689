/** The extensions of the protocol that the server supports. */
export const TUS_EXTENSIONS = ['creation', 'creation-with-upload', 'expiration', 'termination', 'checksum'];

/** The algorithms of `Upload-Checksum`. */
export const CHECKSUM_ALGORITHMS = ['sha1', 'sha256', 'sha512', 'md5'];
