/** Finds the start of a message (RFC 5322) in a file. */

/**
 * The offset of the first header field or mbox line, after a byte order mark and empty lines. Undefined if the file is
 * not a message.
 */
export function messageStart(bytes: Uint8Array): number | undefined {
  const text = Buffer.from(bytes.subarray(0, 1_000)).toString('latin1');
  return /^(?:\xef\xbb\xbf)?[\r\n]*(?=(?:From .*\r?\n)?(?![<{])[!-9;-~]{1,76}[ \t]*:)/.exec(text)?.[0].length;
}
