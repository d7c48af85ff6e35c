/** The DNS records that a deployment needs: what the CDK app makes in a hosted zone, and what `npm run dns` asks for. */
import { domainOf } from '../../shared/protocol/mail-address.ts';

export interface DnsRecord {
  /** Without the final dot. */
  readonly name: string;
  readonly type: 'MX' | 'TXT' | 'CNAME';
  /** MX: preference and host; CNAME: host; TXT: the text itself, neither quoted nor split. */
  readonly value: string;
  /** What does not work without it. */
  readonly why: string;
}

/** A key that SES signs with, as CloudFormation tells it of an identity: whole names, for their form differs by region. */
export interface DkimToken {
  readonly name: string;
  readonly value: string;
}

/** What the records follow from. Any text may be a token of the CDK that is known only when deployed. */
export interface DnsFacts {
  readonly reportsDomain: string;
  readonly testerDomain: string;
  /** The region that receives the mail. */
  readonly region: string;
  /** Three for each identity of SES. */
  readonly dkimTokens: readonly DkimToken[];
  /** The address, or its domain, that alerts are sent from. */
  readonly alertSender?: string | undefined;
  /** The API's own name, and the regional name behind it. */
  readonly apiDomain?: { readonly name: string; readonly target: string } | undefined;
}

/** What comes before the domain of the alert sender in the MAIL FROM of alerts (RFC 5321 section 3.3). */
const MAIL_FROM_LABEL = 'mail';

/** The MAIL FROM domain of alerts: bounces go to SES by its MX, and to nobody's mailbox. */
export function mailFromDomain(alertSender: string): string {
  return `${MAIL_FROM_LABEL}.${domainOf(alertSender)}`;
}

/** Every record that must be published, in the order in which a person would make them. */
export function requiredRecords(facts: DnsFacts): readonly DnsRecord[] {
  const { reportsDomain, testerDomain, region, dkimTokens, alertSender, apiDomain } = facts;
  return [
    ...receiving(reportsDomain, region, 'reports'),
    {
      name: `*._report._dmarc.${reportsDomain}`,
      type: 'TXT',
      value: 'v=DMARC1',
      why: 'reporters send DMARC reports on other domains only where this allows it (RFC 9990 section 4)',
    },
    ...receiving(testerDomain, region, 'test messages'),
    ...dkimTokens.map(
      ({ name, value }): DnsRecord => ({
        name,
        type: 'CNAME',
        value,
        why: 'SES takes and sends mail only for domains that are proven by it',
      }),
    ),
    ...(alertSender === undefined ? [] : sending(mailFromDomain(alertSender), region)),
    ...(apiDomain === undefined ? [] : [alias(apiDomain)]),
  ];
}

const NOTHING_SENT = 'nothing is sent from this domain, and nobody shall pretend it is (RFC 7208, RFC 9989)';

/** A domain that only receives: its mail comes in, and nobody else sends in its name. */
function receiving(domain: string, region: string, what: string): DnsRecord[] {
  return [
    {
      name: domain,
      type: 'MX',
      value: `10 inbound-smtp.${region}.amazonaws.com`,
      why: `${what} arrive by it`,
    },
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
      why: 'SES uses this MAIL FROM domain only with it; bounces of alerts arrive by it',
    },
    {
      name: domain,
      type: 'TXT',
      value: 'v=spf1 include:amazonses.com -all',
      why: 'alerts pass SPF by it (RFC 7208)',
    },
  ];
}

function alias({ name, target }: { readonly name: string; readonly target: string }): DnsRecord {
  return { name, type: 'CNAME', value: target, why: 'the API answers at this name' };
}
