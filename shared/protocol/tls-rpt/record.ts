/** The TXT record of TLS-RPT at `_smtp._tls.<domain>` (RFC 8460 section 3). */
import { isLookupName } from '../domain-name.ts';
import { excerpt, excerpts } from '../findings/excerpt.ts';
import { type Finding, hasErrors, raiser } from '../findings/finding.ts';
import { tlsRptRules } from '../findings/tls-rpt.ts';
import { domainOf } from '../mail-address.ts';
import { mailtoAddress } from '../mailto.ts';
import { type ParsedRecord, type PublishedRecord, readPublished } from '../published-record.ts';
import { trimFoldingWhiteSpace } from '../tag-list.ts';
import { hasVersion, readFields, resembles } from '../versioned-record.ts';

interface TlsRptRecord {
  readonly version: 'TLSRPTv1';
  /** The report URIs as published; in a valid record at least one `mailto:` or `https:` URI. */
  readonly rua: readonly string[];
}

/** The text at the start of a record. */
const TLS_RPT_VERSION = 'v=TLSRPTv1';

const raise = raiser(tlsRptRules);

/** Finds and parses the record among the TXT records of its name. Several count as none (RFC 8460 section 3). */
export function readTlsRptRecords(texts: readonly string[]): PublishedRecord<TlsRptRecord> {
  return readPublished(texts, {
    isRecord: (text) => hasVersion(text, TLS_RPT_VERSION),
    resembles: (text) => resembles(text, /\bTLSRPT[v\d]/i),
    parse: parseTlsRptRecord,
    several: (count) => raise('tls-rpt-multiple-records', { count }),
  });
}

/**
 * Parses one TXT record by the ABNF. Senders ignore a record that violates it, and `findings` explains why. Of
 * duplicate fields, the first counts.
 */
export function parseTlsRptRecord(text: string): ParsedRecord<TlsRptRecord> {
  if (!hasVersion(text, TLS_RPT_VERSION)) {
    const findings = [raise('tls-rpt-record-ignored', { text: excerpt(text) })];
    return { record: null, valid: false, findings };
  }
  const { values, repeated, malformed } = readFields(text, TLS_RPT_VERSION, 'rua');
  const rua = (values.get('rua') || undefined)?.split(',').map(trimFoldingWhiteSpace) ?? [];
  const record = { version: 'TLSRPTv1', rua } as const;
  if (malformed !== undefined) {
    const findings = [raise('tls-rpt-record-malformed', { text: excerpt(malformed) })];
    return { record, valid: false, findings };
  }
  const findings: Finding[] = [];
  if (repeated.length > 0) findings.push(raise('tls-rpt-fields-repeated', { names: excerpts(repeated) }));
  findings.push(...uriFindings(rua));
  return { record, valid: !hasErrors(findings), findings };
}

type UriKind = 'usable' | 'unsupported' | 'malformed';

function uriFindings(uris: readonly string[]): readonly Finding[] {
  if (uris.length === 0) return [raise('tls-rpt-rua-missing')];
  const findings: Finding[] = [];
  const kinds = uris.map(uriKind);
  const ofKind = (kind: UriKind) => ({ uris: excerpts(uris.filter((_, index) => kinds[index] === kind)) });
  if (kinds.includes('malformed')) findings.push(raise('tls-rpt-uris-malformed', ofKind('malformed')));
  if (kinds.includes('unsupported')) findings.push(raise('tls-rpt-uris-unsupported', ofKind('unsupported')));
  if (kinds.every((kind) => kind === 'unsupported')) findings.push(raise('tls-rpt-no-usable-uri'));
  return findings;
}

/** RFC 3986 for the text, RFC 6068 for `mailto:`; commas, semicolons and `!` must be percent-encoded. */
function uriKind(uri: string): UriKind {
  if (!/^[\w\-.~:/?#[\]@$&'()*+=%]+$/.test(uri) || /%(?![0-9A-Fa-f]{2})/.test(uri)) return 'malformed';
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(uri)?.[0].toLowerCase();
  if (scheme === 'mailto') return hasAddress(uri) ? 'usable' : 'malformed';
  if (scheme === 'https') return /^https:\/\/[^/]/i.test(uri) && URL.canParse(uri) ? 'usable' : 'malformed';
  return scheme === undefined ? 'malformed' : 'unsupported';
}

function hasAddress(uri: string): boolean {
  const address = mailtoAddress(uri);
  return address !== undefined && isLookupName(domainOf(address)) && !/[\s\p{Cc}]/u.test(address);
}
