/** The DNS records that a deployment needs; the CDK app creates them in hosted zones, and `npm run dns` checks them. */
import { domainOf } from '../../shared/protocol/mail-address.ts';

export interface DnsRecord {
  /** Without the final dot. */
  readonly name: string;
  readonly type: 'MX' | 'TXT' | 'CNAME';
  /** MX: preference and host; CNAME: host; TXT: the text itself, neither quoted nor split. */
  readonly value: string;
  /** The purpose of the record. */
  readonly why: string;
}

/** A DKIM record of an SES identity, as CloudFormation returns it: full names, because their format differs by region. */
export interface DkimToken {
  readonly name: string;
  readonly value: string;
}

/** The values that the records depend on. Any string can be a CDK token that is resolved during deployment. */
export interface DnsFacts {
  readonly reportsDomain: string;
  readonly testerDomain: string;
  /** Domains before these whose mail is still accepted. */
  readonly formerReportsDomains?: readonly string[] | undefined;
  readonly formerTesterDomains?: readonly string[] | undefined;
  /** The region that receives the mail, and the one that does while it does not answer, if any. */
  readonly region: string;
  readonly secondRegion?: string | undefined;
  /** Three for each identity of SES. */
  readonly dkimTokens: readonly DkimToken[];
  /** The address, or its domain, that alerts are sent from. */
  readonly alertSender?: string | undefined;
  /** The custom domain name of the API, and its regional target. */
  readonly apiDomain?: { readonly name: string; readonly target: string } | undefined;
}

/** The label that the MAIL FROM domain of alerts adds to the domain of the alert sender (RFC 5321 section 3.3). */
const MAIL_FROM_LABEL = 'mail';

/** The MAIL FROM domain of alerts; its MX record directs bounces to SES. */
export function mailFromDomain(alertSender: string): string {
  return `${MAIL_FROM_LABEL}.${domainOf(alertSender)}`;
}

/** All required records, in a natural order for creating them by hand. */
export function requiredRecords(facts: DnsFacts): readonly DnsRecord[] {
  const { reportsDomain, testerDomain, region, dkimTokens, alertSender, apiDomain } = facts;
  const { formerReportsDomains = [], formerTesterDomains = [] } = facts;
  return [
    ...[reportsDomain, ...formerReportsDomains].flatMap((domain): DnsRecord[] => [
      ...receiving(domain, facts, 'reports'),
      {
        name: `*._report._dmarc.${domain}`,
        type: 'TXT',
        value: 'v=DMARC1',
        why: 'authorizes DMARC reports about other domains to be sent here (RFC 9990 section 4)',
      },
    ]),
    ...[testerDomain, ...formerTesterDomains].flatMap((domain) => receiving(domain, facts, 'test messages')),
    ...dkimTokens.map(verifying),
    ...(alertSender === undefined ? [] : sending(mailFromDomain(alertSender), region)),
    ...(apiDomain === undefined ? [] : [alias(apiDomain)]),
  ];
}

/** The record of a DKIM key of SES. */
export const verifying = ({ name, value }: DkimToken): DnsRecord => ({
  name,
  type: 'CNAME',
  value,
  why: 'verifies the domain for SES, so that SES receives or sends its mail',
});

const NOTHING_SENT =
  'states that this domain sends no mail, so that receivers reject forged mail (RFC 7208, RFC 9989)';

/** The records of a domain that only receives mail, including protection against forged mail. */
function receiving(
  domain: string,
  { region, secondRegion }: Pick<DnsFacts, 'region' | 'secondRegion'>,
  what: string,
): DnsRecord[] {
  const mx = (preference: number, of: string, why: string): DnsRecord => ({
    name: domain,
    type: 'MX',
    value: `${preference} inbound-smtp.${of}.amazonaws.com`,
    why,
  });
  return [
    mx(10, region, `directs ${what} to SES`),
    ...(secondRegion === undefined
      ? []
      : [
          mx(20, secondRegion, `directs ${what} to SES of the second region while the first does not answer`),
        ]),
    {
      name: domain,
      type: 'TXT',
      value: 'v=spf1 -all',
      why: NOTHING_SENT,
    },
    {
      name: `_dmarc.${domain}`,
      type: 'TXT',
      value: 'v=DMARC1; p=reject',
      why: NOTHING_SENT,
    },
  ];
}

function sending(domain: string, region: string): DnsRecord[] {
  return [
    {
      name: domain,
      type: 'MX',
      value: `10 feedback-smtp.${region}.amazonses.com`,
      why: 'required by SES for the MAIL FROM domain of alerts; directs bounces to SES',
    },
    {
      name: domain,
      type: 'TXT',
      value: 'v=spf1 include:amazonses.com -all',
      why: 'makes alerts pass SPF (RFC 7208)',
    },
  ];
}

function alias({ name, target }: { readonly name: string; readonly target: string }): DnsRecord {
  return { name, type: 'CNAME', value: target, why: 'makes the API available at this name' };
}
