/** The first steps with a domain, and what DNS shows of them now. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Naming } from '../../api/domains.ts';
import { mailboxUse } from '../../checks/report-mailbox.ts';
import { receivesMail } from '../../checks/state.ts';
import type { Plan } from '../../fixes/plan.ts';
import { findProof } from '../../monitoring/verify-ownership.ts';
import { isDmarcRecord, parseDmarcRecord } from '../../protocol/dmarc/record.ts';
import type { Dns } from '../../protocol/dns.ts';
import { readTlsRptRecords } from '../../protocol/tls-rpt/record.ts';
import { type Domain, isProven } from '../../store/domains/domain.ts';
import { publishedReportAddress } from '../../store/domains/report-address.ts';
import { verificationRecordOf } from '../../store/domains/verification-record.ts';

/** A page does not wait longer for name servers that do not answer. */
const PATIENCE_MILLISECONDS = 3000;

/** A record to publish. */
export interface FirstStep {
  readonly id: 'ownership' | 'dmarc' | 'tls';
  /** The name of the TXT record. */
  readonly name: string;
  /** The record to publish; null if `problem` says how to change the published one. */
  readonly record: string | null;
  /** Whether DNS shows it now; null if the lookup failed. */
  readonly seen: boolean | null;
  /** What DNS shows instead. */
  readonly problem: string | null;
}

export interface FirstSteps {
  readonly steps: readonly FirstStep[];
  readonly isVerified: boolean;
  /** Whether reports about the last 30 days came. */
  readonly hasReports: boolean;
}

export interface StepDependencies {
  readonly dns: Dns;
  readonly naming: Naming;
}

/**
 * The records to publish, as DNS shows them now.
 * @param plan The recommended changes, which know the whole record sets.
 */
export async function stepsOf(
  domain: Domain,
  plan: Pick<Plan, 'changes'>,
  { dns, naming }: StepDependencies,
): Promise<readonly FirstStep[]> {
  const mailbox = publishedReportAddress(domain, naming.reportsDomain);
  const proposed = (name: string) =>
    plan.changes
      .find((change) => change.name === name)
      ?.after.find((text) => mailbox !== undefined && text.includes(mailbox));
  const reporting = async (
    id: 'dmarc' | 'tls',
    name: string,
    { first, read }: { first: string; read: (texts: readonly string[]) => Published },
  ): Promise<FirstStep> => {
    if (mailbox === undefined) return { id, name, record: null, seen: false, problem: unreachable(naming) };
    const texts = await textsAt(name, dns);
    if (texts === null) return { id, name, record: null, seen: null, problem: LOOKUP_FAILED };
    const { text, rua } = read(texts);
    const record = proposed(name) ?? (text === null ? first : null);
    const problem =
      text === null ? null : `DNS shows a record that does not name mailto:${mailbox} in its rua.`;
    return { id, name, record, seen: mailboxUse(rua, mailbox).isNamed, problem };
  };
  return Promise.all([
    ownership(domain, { dns, naming }),
    reporting('dmarc', `_dmarc.${domain.domain}`, {
      first: `v=DMARC1; p=none; rua=mailto:${mailbox}`,
      read: dmarcOf,
    }),
    ...(receivesMail(domain.usageType)
      ? [
          reporting('tls', `_smtp._tls.${domain.domain}`, {
            first: `v=TLSRPTv1; rua=mailto:${mailbox}`,
            read: tlsOf,
          }),
        ]
      : []),
  ]);
}

const unreachable = ({ reportsDomain }: Pick<Naming, 'reportsDomain'>): string =>
  `Reporters cannot reach this machine: report mailboxes are at ${reportsDomain}. Set REPORTS_DOMAIN to a domain of your own whose MX record leads here, and start the service again; or import the reports that arrive elsewhere (import-reports).`;

const LOOKUP_FAILED = 'The lookup failed or took too long. Load the page again in a minute.';

async function ownership(domain: Domain, { dns, naming }: StepDependencies): Promise<FirstStep> {
  const expected = verificationRecordOf(domain, naming);
  const step = { id: 'ownership', name: expected.hostname, record: expected.value } as const;
  if (isProven(domain)) return { ...step, seen: true, problem: null };
  const proof = await withinPatience(findProof(expected, dns));
  if (proof === null) return { ...step, seen: null, problem: LOOKUP_FAILED };
  if (proof.status === 'found')
    return { ...step, seen: true, problem: 'DNS shows the record: press Verify.' };
  return { ...step, seen: proof.status === 'missing' ? false : null, problem: proof.problem };
}

interface Published {
  /** The record; null if there is none. */
  readonly text: string | null;
  readonly rua: readonly string[];
}

function dmarcOf(texts: readonly string[]): Published {
  const [text = null, ...others] = texts.filter(isDmarcRecord);
  const parsed = text === null || others.length > 0 ? undefined : parseDmarcRecord(text);
  return { text, rua: parsed?.ok ? parsed.record.rua.map(({ uri }) => uri) : [] };
}

function tlsOf(texts: readonly string[]): Published {
  const { text, record, valid } = readTlsRptRecords(texts);
  return { text, rua: valid ? (record?.rua ?? []) : [] };
}

/** The TXT records of a name, looked up anew; null if that failed. */
async function textsAt(name: string, dns: Dns): Promise<readonly string[] | null> {
  const answer = await withinPatience(dns.lookup(name, 'TXT', { fresh: true }));
  if (answer === null || answer.status === 'unavailable') return null;
  return answer.status === 'found' ? answer.records : [];
}

/** What a lookup answers, or null if it takes longer than a page waits. */
export const withinPatience = <T>(promise: Promise<T>): Promise<T | null> =>
  Promise.race([promise, wait(PATIENCE_MILLISECONDS, null, { ref: false })]);
