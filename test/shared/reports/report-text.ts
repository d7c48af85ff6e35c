/** Aggregate reports for tests: a valid one, in which any part can be replaced. */

export interface ReportParts {
  readonly declaration?: string;
  readonly before?: string;
  readonly root?: string;
  readonly version?: string;
  readonly orgName?: string;
  readonly email?: string;
  readonly reportId?: string;
  readonly dateRange?: string;
  readonly moreMetadata?: string;
  readonly metadata?: string;
  readonly domain?: string;
  readonly policy?: string;
  readonly policyPublished?: string;
  readonly records?: readonly string[];
  readonly end?: string;
}

export const BEGIN = 1_700_006_400;
export const END = 1_700_092_799;

/** Text of a report from `reporter.example` about example.org: one record, three messages, DKIM passed. */
export function reportText(parts: ReportParts = {}): string {
  const {
    declaration = '<?xml version="1.0" encoding="UTF-8"?>\n',
    before = '',
    root = '<feedback>',
    version = '<version>1.0</version>',
    orgName = '<org_name>reporter.example</org_name>',
    email = '<email>dmarc@reporter.example</email>',
    reportId = '<report_id>r-1</report_id>',
    dateRange = `<date_range><begin>${BEGIN}</begin><end>${END}</end></date_range>`,
    moreMetadata = '',
    domain = '<domain>example.org</domain>',
    policy = '<adkim>r</adkim><aspf>s</aspf><p>quarantine</p><sp>none</sp><pct>100</pct>',
    records = [recordText()],
    end = '</feedback>\n',
  } = parts;
  const {
    metadata = `<report_metadata>${orgName}${email}${reportId}${dateRange}${moreMetadata}</report_metadata>`,
    policyPublished = `<policy_published>${domain}${policy}</policy_published>`,
  } = parts;
  return `${declaration}${before}${root}${version}\n ${metadata}\n ${policyPublished}\n ${records.join('\n ')}\n${end}`;
}

export interface RecordParts {
  readonly sourceIp?: string;
  readonly count?: string;
  readonly disposition?: string;
  readonly dkim?: string;
  readonly spf?: string;
  readonly reasons?: string;
  readonly row?: string;
  readonly identifiers?: string;
  readonly authResults?: string;
  readonly more?: string;
}

export function recordText(parts: RecordParts = {}): string {
  const {
    sourceIp = '<source_ip>192.0.2.1</source_ip>',
    count = '<count>3</count>',
    disposition = '<disposition>none</disposition>',
    dkim = '<dkim>pass</dkim>',
    spf = '<spf>fail</spf>',
    reasons = '',
    identifiers = '<identifiers><header_from>example.org</header_from></identifiers>',
    authResults = `<auth_results>${DKIM}${SPF}</auth_results>`,
    more = '',
  } = parts;
  const {
    row = `<row>${sourceIp}${count}<policy_evaluated>${disposition}${dkim}${spf}${reasons}</policy_evaluated></row>`,
  } = parts;
  return `<record>${row}${identifiers}${authResults}${more}</record>`;
}

export const DKIM = '<dkim><domain>example.org</domain><selector>s1</selector><result>pass</result></dkim>';
export const SPF = '<spf><domain>bounce.example.org</domain><scope>mfrom</scope><result>pass</result></spf>';
