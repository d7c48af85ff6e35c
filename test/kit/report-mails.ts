/** Report mails as reporters send them, built from a few values. */
import { gzipSync } from 'node:zlib';

export interface DmarcXml {
  readonly domain: string;
  readonly id?: string;
  readonly reporter?: string;
  /** Seconds since 1970. */
  readonly begin?: number;
  readonly rows?: readonly {
    readonly count: number;
    readonly result: 'pass' | 'fail';
    readonly selector?: string;
  }[];
}

/** Yesterday, 00:00 UTC, in seconds since 1970. */
export const yesterday = (Math.floor(Date.now() / 86_400_000) - 1) * 86_400;

/** A DMARC aggregate report (RFC 7489 appendix C). */
export function dmarcXml({
  domain,
  id = 'r1',
  reporter = 'Reporter',
  begin = yesterday,
  rows,
}: DmarcXml): string {
  const records = (rows ?? [{ count: 1, result: 'pass' }]).map(
    ({ count, result, selector = 's1' }, at) => `
  <record>
    <row><source_ip>${addressOf(at + 1)}</source_ip><count>${count}</count>
      <policy_evaluated><disposition>none</disposition><dkim>${result}</dkim><spf>${result}</spf></policy_evaluated></row>
    <identifiers><header_from>${domain}</header_from></identifiers>
    <auth_results>
      <dkim><domain>${domain}</domain><selector>${selector}</selector><result>${result}</result></dkim>
      <spf><domain>${domain}</domain><result>${result}</result></spf></auth_results>
  </record>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<feedback><version>1.0</version>
  <report_metadata><org_name>${reporter}</org_name><email>dmarc@reporter.test</email><report_id>${id}</report_id>
    <date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range></report_metadata>
  <policy_published><domain>${domain}</domain><adkim>r</adkim><aspf>r</aspf><p>none</p><sp>none</sp><pct>100</pct></policy_published>${records.join('')}
</feedback>`;
}

/** The `n`th address from 192.0.2.0 on. */
const addressOf = (n: number): string => `192.0.${2 + (n >> 8)}.${n & 255}`;

/** A TLS report (RFC 8460 section 4.4), with a policy for each domain. */
export function tlsJson(domains: string | readonly string[], { successful = 5, failed = 0 } = {}): string {
  const day = new Date(yesterday * 1000).toISOString().slice(0, 10);
  return JSON.stringify({
    'organization-name': 'Reporter',
    'date-range': { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` },
    'contact-info': 'tls@reporter.test',
    'report-id': 'tls-1',
    policies: [domains].flat().map((domain) => ({
      policy: { 'policy-type': 'sts', 'policy-string': ['version: STSv1'], 'policy-domain': domain },
      summary: { 'total-successful-session-count': successful, 'total-failure-session-count': failed },
    })),
  });
}

interface ReportMailParts {
  readonly from?: string;
  readonly to?: string;
  readonly subject?: string;
  readonly date?: Date;
  readonly attachments: readonly {
    readonly name: string;
    readonly type?: string;
    readonly bytes: string | Uint8Array;
  }[];
}

/** A multipart message with base64 attachments and CRLF line endings. */
export function reportMail({
  from = 'dmarc@reporter.test',
  to = 'reports@elsewhere.test',
  subject = 'Report Domain: example.test',
  date = new Date(),
  attachments,
}: ReportMailParts) {
  const deps = attachments.map(({ name, type = 'application/gzip', bytes }) =>
    [
      '--b',
      `Content-Type: ${type}; name="${name}"`,
      'Content-Transfer-Encoding: base64',
      `Content-Disposition: attachment; filename="${name}"`,
      '',
      ...(Buffer.from(bytes as string)
        .toString('base64')
        .match(/.{1,76}/g) ?? []),
    ].join('\r\n'),
  );
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    '--b\r\nContent-Type: text/plain\r\n\r\nA report is attached.',
    ...deps,
    '--b--',
    '',
  ].join('\r\n');
}

/** A mail with one compressed DMARC report. */
export const dmarcMail = (report: DmarcXml, deps: Omit<ReportMailParts, 'attachments'> = {}): string =>
  reportMail({ ...deps, attachments: [{ name: 'report.xml.gz', bytes: gzipSync(dmarcXml(report)) }] });
