/** The mail address that a `mailto:` URI holds (RFC 6068 section 2). */

/** Decoded, without header fields; undefined for other URIs and where there is no address. */
export function mailtoAddress(uri: string): string | undefined {
  if (!/^mailto:/i.test(uri)) return undefined;
  const [written = ''] = uri.slice('mailto:'.length).split('?', 1);
  // These stand encoded in an address, so `mailto://a@b` holds none.
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
