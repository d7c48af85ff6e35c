/** The email address in a `mailto:` URI (RFC 6068 section 2). */

/** The decoded address, without header fields; undefined for other URIs and if there is no address. */
export function mailtoAddress(uri: string): string | undefined {
  if (!/^mailto:/i.test(uri)) return undefined;
  const [written = ''] = uri.slice('mailto:'.length).split('?', 1);
  // These characters must be encoded in an address, so `mailto://a@b` contains none.
  if (/[/#[\]]/.test(written)) return undefined;
  const address = percentDecoded(written);
  return address !== undefined && address.lastIndexOf('@') > 0 ? address : undefined;
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
