/** Which MX hosts the `mx` fields of an MTA-STS policy allow (RFC 8461 section 4.1). */
import { canonicalName } from '../domain-name.ts';

/**
 * Returns a function that tests whether a host matches one of `patterns`. Names are compared case-insensitively as a
 * whole; `*.` matches exactly one label on the left.
 */
export function mxMatcher(patterns: readonly string[]): (host: string) => boolean {
  const allowed = new Set(patterns.map(canonicalName));
  return (host) => {
    const name = canonicalName(host);
    const dot = name.indexOf('.');
    return allowed.has(name) || (dot > 0 && allowed.has(`*${name.slice(dot)}`));
  };
}
