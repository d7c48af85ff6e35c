/** The TXT record of TLS-RPT at `_smtp._tls.<domain>` (RFC 8460 section 3). */
import { isLookupName } from '../domain-name.ts';
import { excerpt, excerpts } from '../findings/excerpt.ts';
import { type Finding, hasErrors, raiser } from '../findings/finding.ts';
import { tlsRptRules } from '../findings/tls-rpt.ts';
import { trimFoldingWhiteSpace } from '../tag-list.ts';
import { candidates, extensionsOf, hasVersion, type RecordField, readFields } from '../versioned-record.ts';

export interface TlsRptRecord {
  readonly version: 'TLSRPTv1';
  /** Where reports go: at least one `mailto:` or `https:` URI, as published. */
  readonly rua: readonly string[];
  /** Fields this version does not know, which senders ignore. */
  readonly extensions: readonly RecordField[];
}

/** The text with which a record begins. */
const TLS_RPT_VERSION = 'v=TLSRPTv1';

const raise = raiser(tlsRptRules);

export interface PublishedTlsRptRecord {
  /** The record as published; the first of several; null where there is none. */
  readonly text: string | null;
  /** All of them where the name has several, of which then none counts. */
  readonly records?: readonly string[];
  readonly record: TlsRptRecord | null;
  readonly findings: readonly Finding[];
}

/** Finds the record among the TXT records of its name and reads it; several are none (RFC 8460 section 3). */
export function readTlsRptRecords(texts: readonly string[]): PublishedTlsRptRecord {
  const [text, ...others] = candidates(texts, TLS_RPT_VERSION);
  if (text === undefined) return { text: null, record: null, findings: [] };
  if (others.length > 0) {
    const findings = [raise('tls-rpt-multiple-records', { count: others.length + 1 })];
    return { text, record: null, findings, records: [text, ...others] };
  }
  return { text, ...parseTlsRptRecord(text) };
}

/**
 * Reads one TXT record by the ABNF. A record that breaks it is none for senders: `record` is null and `findings`
 * says why. Of a repeated field the first holds.
 */
export function parseTlsRptRecord(text: string): {
  readonly record: TlsRptRecord | null;
  readonly findings: readonly Finding[];
} {
  const invalid = (finding: Finding) => ({ record: null, findings: [finding] });
  if (!hasVersion(text, TLS_RPT_VERSION)) {
    return invalid(raise('tls-rpt-record-ignored', { text: excerpt(text) }));
  }
  const { values, repeated, malformed } = readFields(text, TLS_RPT_VERSION, 'rua');
  if (malformed !== undefined) {
    return invalid(raise('tls-rpt-record-malformed', { text: excerpt(malformed) }));
  }
  const findings: Finding[] = [];
  if (repeated.length > 0) findings.push(raise('tls-rpt-fields-repeated', { names: excerpts(repeated) }));
  const rua = readUris(values.get('rua'), findings);
  const record = { version: 'TLSRPTv1', rua, extensions: extensionsOf(values, ['rua']) } as const;
  return { record: hasErrors(findings) ? null : record, findings };
}

/** The record as one line, which reads back as the same record. */
export function printTlsRptRecord({ rua, extensions }: TlsRptRecord): string {
  const fields = extensions.map(({ name, value }) => `${name}=${value}`);
  return [TLS_RPT_VERSION, `rua=${rua.join(',')}`, ...fields].join('; ');
}

type UriKind = 'usable' | 'unsupported' | 'malformed';

function readUris(value: string | undefined, findings: Finding[]): string[] {
  if (value === undefined || value === '') {
    findings.push(raise('tls-rpt-rua-missing'));
    return [];
  }
  const uris = value.split(',').map(trimFoldingWhiteSpace);
  const kinds = uris.map(uriKind);
  const ofKind = (kind: UriKind) => ({ uris: excerpts(uris.filter((_, index) => kinds[index] === kind)) });
  if (kinds.includes('malformed')) findings.push(raise('tls-rpt-uris-malformed', ofKind('malformed')));
  if (kinds.includes('unsupported')) findings.push(raise('tls-rpt-uris-unsupported', ofKind('unsupported')));
  if (kinds.every((kind) => kind === 'unsupported')) findings.push(raise('tls-rpt-no-usable-uri'));
  return uris;
}

/** RFC 3986 for the text, RFC 6068 for `mailto:`; commas, semicolons and `!` must be percent-encoded. */
function uriKind(uri: string): UriKind {
  if (!/^[\w\-.~:/?#[\]@$&'()*+=%]+$/.test(uri) || /%(?![0-9A-Fa-f]{2})/.test(uri)) return 'malformed';
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(uri)?.[0].toLowerCase();
  if (scheme === 'mailto') return hasAddress(uri) ? 'usable' : 'malformed';
  if (scheme === 'https') return URL.canParse(uri) ? 'usable' : 'malformed';
  return scheme === undefined ? 'malformed' : 'unsupported';
}

function hasAddress(uri: string): boolean {
  const [written = ''] = uri.slice('mailto:'.length).split('?', 1);
  const address = /[/#[\]]/.test(written) ? undefined : percentDecoded(written);
  const at = address?.lastIndexOf('@') ?? -1;
  return (
    address !== undefined && at > 0 && isLookupName(address.slice(at + 1)) && !/[\s\p{Cc}]/u.test(address)
  );
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
