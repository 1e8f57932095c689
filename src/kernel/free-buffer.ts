/**
 * Frees the memory of a buffer that nobody uses any more; it is empty from then on. The garbage collector would
 * free it too, but V8 counts it against the limit of the heap: with 100 kB for each request, it collects the
 * whole heap after some dozen requests.
 */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  // A part of a larger memory belongs to others too.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
