/** Entity tags (RFC 9110 section 8.8.3), which identify a version of a response. */
import { createHash } from 'node:crypto';

/** Equal for equal bodies; weak, because the body is sent with or without compression (RFC 9110 section 8.8.3.3). */
export function entityTag(body: string): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** Whether `ifNoneMatch` contains the tag, so that the client already has this response (RFC 9110 section 13.1.2). */
export function isKnown(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = [...ifNoneMatch.matchAll(/"[^"]*"/g)].map(([opaque]) => `W/${opaque}`);
  return ifNoneMatch.trim() === '*' || known.includes(tag);
}
