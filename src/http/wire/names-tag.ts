/** True when an `If-None-Match` names the entity tag. It compares weakly (RFC 9110, 13.1.2). */
export function namesTag(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
