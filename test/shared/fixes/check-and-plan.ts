/** A domain in a zone, checked and with a plan, as a check run and the endpoint do it. */
import { type CheckContext, inspectDomain } from '../../../shared/checks/inspect.ts';
import { differenceOf } from '../../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../../shared/checks/preview/preview.ts';
import { recordLookups } from '../../../shared/checks/record-lookups.ts';
import type { UsageType } from '../../../shared/checks/state.ts';
import { noReportedMail, type ReportedMail, type ReportedSender } from '../../../shared/fixes/facts.ts';
import { type Change, makePlan } from '../../../shared/fixes/plan.ts';
import type { CertificateFacts } from '../../../shared/network/ports.ts';
import type { Policy } from '../../../shared/protocol/dmarc/record.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { fakeSmtp, withoutTls } from '../../kit/fake-smtp.ts';
import { fakeWeb } from '../../kit/web.ts';
import { MAILBOX } from './faulty-zones.ts';

/** When all checks run. */
const NOW = new Date('2026-06-01T12:00:00Z');

/** Reports come, and show no mail that passed. */
export const quiet: ReportedMail = { ...noReportedMail, isReported: true };

interface Hosts {
  /** The MTA-STS policy that is served; null if there is none. */
  readonly policy?: string | null;
  /** Whether MX hosts offer TLS, with a valid certificate. */
  readonly tls?: boolean;
  /** What is different about that certificate. */
  readonly certificate?: Partial<CertificateFacts>;
}

/** So many days after the checks. */
export const inDays = (days: number): Date => new Date(NOW.getTime() + days * 86_400_000);

export function checkContextOf(
  domain: string,
  dns: Dns,
  { policy, tls = false, certificate: changes }: Hosts = {},
): CheckContext {
  const inTesting = `version: STSv1\nmode: testing\nmx: mx.${domain}\nmax_age: 604800\n`;
  const url = `https://mta-sts.${domain}/.well-known/mta-sts.txt`;
  const body = policy === undefined ? inTesting : policy;
  const certificate = {
    validFrom: inDays(-30),
    validTo: inDays(60),
    chain: [],
    trusted: true,
    matchesName: true,
    ...changes,
  };
  const established = {
    status: 'established',
    protocol: 'TLSv1.3',
    cipher: 'TLS_AES_256_GCM_SHA384',
  } as const;
  return {
    trustAnchors: [],
    network: {
      dns,
      web: fakeWeb(body === null ? {} : { [url]: { type: 'text/plain', body } }),
      clock: { now: () => NOW },
      smtp: fakeSmtp(() => (tls ? { ...withoutTls, starttls: { ...established, certificate } } : withoutTls)),
    },
  };
}

export const asked = (domain: string) => ({
  ...{ domain, testEmailLocalPart: null, knownSelectors: [], reportMailbox: MAILBOX },
});

/** What checks find before and after a change of record sets. */
export async function previewOf(
  domain: string,
  sets: Parameters<typeof previewChecks>[1],
  dns: Dns,
  hosts: Hosts = {},
) {
  const preview = await previewChecks(asked(domain), sets, checkContextOf(domain, dns, hosts));
  if (!preview.ok) throw new Error(preview.conflicts.join());
  return { ...preview, ...differenceOf(preview.before, preview.after) };
}

/** Changes as record sets. Of several of one set, the last one counts. */
export const setsOf = (changes: readonly Change[]) => {
  const sets = changes.map(({ name, type, ttl, after }) => ({ name, type, ttl, values: after }));
  return [...new Map(sets.map((set) => [`${set.name} ${set.type}`, set])).values()];
};

export interface Given extends Hosts {
  readonly mail?: Partial<ReportedMail> | undefined;
  readonly nextPolicy?: Policy | null;
  readonly senders?: readonly ReportedSender[] | undefined;
}

export async function checkAndPlan(
  domain: string,
  usageType: UsageType,
  dns: Dns,
  { mail, nextPolicy = null, senders, ...hosts }: Given = {},
) {
  const { dns: recorded, lookups } = recordLookups(dns);
  const results = await inspectDomain(asked(domain), checkContextOf(domain, recorded, hosts));
  const stored = JSON.parse(JSON.stringify({ results, lookups: lookups() }));
  const reported = { ...quiet, ...mail };
  const plan = await makePlan({
    domain,
    usageType,
    mailbox: MAILBOX,
    mail: reported,
    nextPolicy,
    senders: senders && (async () => senders),
    ...stored,
  });
  return { results, plan };
}
