/** The lists of report URIs in the `rua` and `ruf` tags (RFC 9989 section 4.8, dmarc-urilist). */
import { canonicalName, isLookupName } from '../domain-name.ts';
import { domainOf } from '../mail-address.ts';
import { mailtoAddress } from '../mailto.ts';
import { trimFoldingWhiteSpace } from '../tag-list.ts';

export interface ReportUri {
  /** As published, without the `!size` suffix. */
  readonly uri: string;
  /** In lowercase, such as `mailto`. Receivers ignore schemes that they do not support (RFC 9989 section 4.7). */
  readonly scheme: string;
  /** The domain that reports are mailed to, in canonical form; null for other schemes and if there is no address. */
  readonly host: string | null;
  /** Whether the URI had the obsolete `!size` suffix, which reporters ignore. */
  readonly sized: boolean;
}

interface ReportUriList {
  readonly uris: readonly ReportUri[];
  /** The invalid entries, as published. */
  readonly malformed: readonly string[];
}

/** No RFC 7489 implementation could store a size with more digits. */
const MAX_SIZE_DIGITS = 18;

/** Parses a comma-separated list of report URIs. Invalid entries are listed separately. */
export function parseReportUris(value: string): ReportUriList {
  const uris: ReportUri[] = [];
  const malformed: string[] = [];
  for (const entry of value.split(',')) {
    const text = trimFoldingWhiteSpace(entry);
    const uri = parseReportUri(text);
    if (uri === undefined) malformed.push(text);
    else uris.push(uri);
  }
  return { uris, malformed };
}

/** The domain that reports to a published URI are mailed to; null if it is not a usable email address. */
export const reportHost = (uri: string): string | null => parseReportUri(uri)?.host ?? null;

function parseReportUri(text: string): ReportUri | undefined {
  const mark = text.indexOf('!');
  const uri = mark === -1 ? text : text.slice(0, mark);
  if (mark !== -1 && !isSize(text.slice(mark + 1))) return undefined;
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(uri)?.[0].toLowerCase();
  if (scheme === undefined || !isUriText(uri)) return undefined;
  return { uri, scheme, host: mailHost(uri), sized: mark !== -1 };
}

/** RFC 7489 section 6.2: a number with an optional unit. */
function isSize(text: string): boolean {
  return /^\d+[kmgt]?$/i.test(text) && text.length <= MAX_SIZE_DIGITS;
}

/** Whether the text contains only characters that RFC 3986 section 2 allows. In DMARC, `,` and `!` must be encoded. */
function isUriText(text: string): boolean {
  return /^[\w\-.~:/?#[\]@$&'()*+;=%]*$/.test(text) && !/%(?![0-9a-f]{2})/i.test(text);
}

function mailHost(uri: string): string | null {
  const host = canonicalName(domainOf(mailtoAddress(uri) ?? ''));
  return isLookupName(host) && /^[a-z0-9._-]+$/.test(host) ? host : null;
}
