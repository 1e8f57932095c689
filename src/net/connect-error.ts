/** The proxy could not be reached, or refused the tunnel. */
export class ProxyError extends Error {}

/** The connection was not open in time. */
export class ConnectTimeoutError extends Error {}

/** The connection closed during the TLS handshake. */
export class HandshakeError extends Error {}
