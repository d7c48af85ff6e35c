/** Entity tags (RFC 9110 section 8.8.3): what tells one answer from another without either at hand. */
import { createHash } from 'node:crypto';

/** The same for the same body and for no other, weak since it is sent compressed or not (RFC 9110 section 8.8.3.3). */
export function entityTag(body: string): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** Whether a caller that sends `ifNoneMatch` has the answer of this tag already (RFC 9110 section 13.1.2). */
export function isKnown(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = [...ifNoneMatch.matchAll(/"[^"]*"/g)].map(([opaque]) => `W/${opaque}`);
  return ifNoneMatch.trim() === '*' || known.includes(tag);
}
