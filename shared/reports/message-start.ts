/** Where a message (RFC 5322) begins in a file. */

/**
 * Where a header field begins, or the line that mbox puts in front; what editors leave in front of it is no part of it.
 * Undefined for a file that is no message.
 */
export function messageStart(bytes: Uint8Array): number | undefined {
  const text = Buffer.from(bytes.subarray(0, 1_000)).toString('latin1');
  return /^(?:\xef\xbb\xbf)?[\r\n]*(?=(?:From .*\r?\n)?(?![<{])[!-9;-~]{1,76}[ \t]*:)/.exec(text)?.[0].length;
}
