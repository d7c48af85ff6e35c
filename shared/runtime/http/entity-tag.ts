/** Entity tags (RFC 9110 section 8.8.3), which identify a version of a response. */
import { createHash } from 'node:crypto';

/**
 * A strong tag: equal only for equal bodies, as sent with or without compression. It begins with the version of the
 * resource, if there is one, so that `If-Match` compares the resource and not its presentation.
 */
export function entityTag(body: string, version?: string): string {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return `"${version === undefined ? '' : `${version}.`}${hash}"`;
}

/**
 * Whether `ifNoneMatch` contains the tag, so that the client already has this response (RFC 9110 section 13.1.2). Tags
 * that became weak on the way match, too.
 */
export function isKnown(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = [...ifNoneMatch.matchAll(/"[^"]*"/g)].map(([opaque]) => opaque);
  return ifNoneMatch.trim() === '*' || known.includes(tag);
}

/**
 * Whether `ifMatch` contains a tag of this version of the resource, or there is no condition (RFC 9110 section 13.1.1).
 * Weak tags never match.
 */
export function isCurrent(version: string, ifMatch: string | undefined): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  const tags = [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)];
  return tags.some(([, weak, tag = '']) => weak === undefined && tag.split('.', 1)[0] === version);
}
