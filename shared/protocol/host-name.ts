/** The syntax of host names. */

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/**
 * Whether the text is a host name: labels of letters, digits and hyphens, 253 characters in total (RFC 1123 section 2.1,
 * RFC 5321 section 4.1.2). A single label is one, too.
 */
export function isHostName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => LABEL.test(label));
}
