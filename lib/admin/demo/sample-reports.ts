/** DMARC aggregate reports (RFC 9990) and TLS reports (RFC 8460) about invented mail, as files. */
import type { FoundEntry } from '../mail-files.ts';
import type { SampleDomain, Sender } from './senders.ts';

const DAYS = 400;
const DAY_SECONDS = 86_400;
/** One of them reports about each day: enforcement needs three, and a large one among them. */
const reporters = [
  { name: 'google.com', mailDomain: 'google.com' },
  { name: 'yahoo.com', mailDomain: 'dmarc.yahoo.com' },
  { name: 'mailbox.example', mailDomain: 'mailbox.example' },
] as const;
/** Days between two TLS reports. */
const TLS_EVERY_DAYS = 7;

export interface SampleReport extends FoundEntry {
  /** Whether it is about the last week. */
  readonly recent: boolean;
  /** The domain that its mail comes from. */
  readonly mailDomain: string;
  /** When it would have arrived: right after its day. */
  readonly receivedAt: Date;
}

const RECENT_DAYS = 7;

/**
 * The reports about 400 days up to the day before `now`, oldest first. A day always has the same reports, so that
 * importing them again adds only the days since.
 */
export function* sampleReports(sample: SampleDomain, now: Date): Generator<SampleReport> {
  const today = Math.floor(now.getTime() / 1000 / DAY_SECONDS);
  for (let day = today - DAYS; day < today; day += 1) {
    const { mailDomain } = reporterOf(day);
    const senders = sample.senders.filter(({ everyDays }) => day % everyDays === 0);
    const recent = today - day <= RECENT_DAYS;
    const receivedAt = new Date((endOf(day) + 1) * 1000);
    const about = { recent, mailDomain, receivedAt };
    if (senders.length > 0) yield { ...file(sample, day, 'xml', dmarcXml(sample, day, senders)), ...about };
    if (sample.tls !== undefined && day % TLS_EVERY_DAYS === 0)
      yield { ...file(sample, day, 'json', tlsJson(sample.domain, sample.tls, day)), ...about };
  }
}

/** Named as RFC 9990 section 5.5.2 and RFC 8460 section 5.1 require. */
function file({ domain }: SampleDomain, day: number, extension: string, text: string): FoundEntry {
  const name = `${reporterOf(day).name}!${domain}!${day * DAY_SECONDS}!${endOf(day)}.${extension}`;
  return { name, bytes: Buffer.from(text) };
}

const reporterOf = (day: number) => reporters[day % reporters.length] ?? reporters[0];

const endOf = (day: number): number => (day + 1) * DAY_SECONDS - 1;

/** A number of messages between the sender's least and most that depends only on the day. */
function messagesOn(day: number, [least, most]: Sender['messages']): number {
  return least + ((day * 7919) % (most - least + 1));
}

function dmarcXml({ domain, policy }: SampleDomain, day: number, senders: readonly Sender[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<feedback>
  <report_metadata>
    <org_name>${reporterOf(day).name}</org_name>
    <email>dmarc@${reporterOf(day).name}</email>
    <report_id>${day}.${domain}</report_id>
    <date_range><begin>${day * DAY_SECONDS}</begin><end>${endOf(day)}</end></date_range>
  </report_metadata>
  <policy_published>
    <domain>${domain}</domain>
    <adkim>r</adkim><aspf>r</aspf>
    <p>${policy}</p>
  </policy_published>
${senders.map((sender) => record(domain, policy, day, sender)).join('')}</feedback>
`;
}

function record(
  domain: string,
  policy: string,
  day: number,
  { addresses, messages, spf, dkim }: Sender,
): string {
  const dkimPasses = dkim?.domain === domain;
  const spfPasses = spf?.domain === domain && spf.result === 'pass';
  const disposition = dkimPasses || spfPasses ? 'none' : policy;
  const word = (passes: boolean) => (passes ? 'pass' : 'fail');
  return `  <record>
    <row>
      <source_ip>${addresses[day % addresses.length]}</source_ip>
      <count>${messagesOn(day, messages)}</count>
      <policy_evaluated><disposition>${disposition}</disposition><dkim>${word(dkimPasses)}</dkim><spf>${word(spfPasses)}</spf></policy_evaluated>
    </row>
    <identifiers><header_from>${domain}</header_from></identifiers>
    <auth_results>
${dkim === undefined ? '' : `      <dkim><domain>${dkim.domain}</domain><selector>${dkim.selector}</selector><result>pass</result></dkim>\n`}${
  spf === null ? '' : `      <spf><domain>${spf.domain}</domain><result>${spf.result}</result></spf>\n`
}    </auth_results>
  </record>
`;
}

function tlsJson(domain: string, { mx, works }: NonNullable<SampleDomain['tls']>, day: number): string {
  const sessions = messagesOn(day, [5, 40]);
  const iso = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
  return JSON.stringify({
    'organization-name': reporterOf(day).name,
    'date-range': { 'start-datetime': iso(day * DAY_SECONDS), 'end-datetime': iso(endOf(day)) },
    'contact-info': `tls@${reporterOf(day).name}`,
    'report-id': `${day}.${domain}`,
    policies: [
      {
        policy: works
          ? {
              'policy-type': 'sts',
              'policy-string': ['version: STSv1', 'mode: enforce', `mx: ${mx}`, 'max_age: 604800'],
              'policy-domain': domain,
              'mx-host': [mx],
            }
          : { 'policy-type': 'no-policy-found', 'policy-domain': domain },
        summary: {
          'total-successful-session-count': works ? sessions : 0,
          'total-failure-session-count': works ? 0 : sessions,
        },
        ...(works
          ? {}
          : {
              'failure-details': [
                {
                  'result-type': 'starttls-not-supported',
                  'receiving-mx-hostname': mx,
                  'failed-session-count': sessions,
                },
              ],
            }),
      },
    ],
  });
}
