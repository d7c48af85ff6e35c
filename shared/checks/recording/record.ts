/**
 * Records a check run: every question of its checks to the network gets one answer, which is kept as the checks saw it, after all
 * limits. `replay.ts` gives the same answers again.
 */
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type {
  CertificateFacts,
  Clock,
  Network,
  SmtpAnswer,
  SmtpProbeRequest,
  WebAnswer,
} from '../../network/ports.ts';
import type { Answer, DnsEvidence, RecordData, RecordType } from '../../protocol/dns.ts';
import type { TrustAnchor } from '../../protocol/dnssec/anchors.ts';
import type { DkimHistory, ReportedUse } from '../dkim/history.ts';
import type { DomainToCheck } from '../domain-to-check.ts';
import { memory } from '../preview/remember.ts';
import {
  authorityKey,
  isKeyName,
  type LookupQuestion,
  lookupKey,
  lookupQuestion,
  probeKey,
} from './questions.ts';
import { recordsIn } from './record-sets.ts';
import { type Certificates, type RecordingJson, toJson } from './recorded.ts';

/** Headers of HTTPS responses that checks read. */
const HEADERS = ['content-type', 'location'];

/** A recording with the certificates that it names, as plain JSON and DER. */
export interface RecordedRun {
  readonly recording: RecordingJson;
  readonly certificates: Certificates;
}

/** What a check run trusts. */
interface Trust {
  readonly trustAnchors: readonly TrustAnchor[];
  /** PEM. */
  readonly markAnchors: readonly string[];
  /** Zones whose signatures the resolver is known to strip when the run starts. */
  readonly stripped: readonly string[];
}

export interface Recorder {
  /** The domain to check, so that what else is read for it is recorded, too. */
  readonly watched: (asked: DomainToCheck) => DomainToCheck;
  /** The network of the checks. Its clock stands still, so that all checks agree on the time. */
  readonly recorded: (network: Network, asked: DomainToCheck, trust: Trust) => Network;
  /** What was recorded; undefined before the run ended. */
  readonly run: () => RecordedRun | undefined;
}

/** What a question was answered that no check waited for. */
const LATE = { status: 'unavailable', reason: 'deadline', detail: 'no check waited for it' } as const;
const NONE = { milliseconds: 0 };

/** Notes a question when it is asked, and its answer once it comes. */
async function noting<T>(
  notes: object[],
  unanswered: object,
  asked: Promise<T>,
  write: (answer: T) => object,
): Promise<T> {
  const at = notes.push(unanswered) - 1;
  const answer = await asked;
  notes[at] = write(answer);
  return answer;
}

/** Records one check run. @param clock Of the run. */
export function createRecorder(clock: Clock, startedAt: Date = clock.now()): Recorder {
  const label = randomBytes(12).toString('hex');
  const certificates = new Map<string, Uint8Array>();
  const dns: object[] = [];
  const https: object[] = [];
  const smtp: object[] = [];
  const authorities: object[] = [];
  const tlsaHosts = new Set<string>();
  const resolvers = new Set<string>();
  const known: { reportedUse?: ReportedUse; elsewhere?: ReadonlyMap<string, readonly string[]> } = {};
  let given: { readonly asked: DomainToCheck; readonly trust: Trust } | undefined;

  const refer = (der: Uint8Array): string => {
    const hash = createHash('sha256').update(der).digest('hex');
    certificates.set(hash, der);
    return hash;
  };
  const facts = ({ chain, ...rest }: CertificateFacts) => ({ ...rest, chain: chain.map(refer) });

  /** Which resolver answered, by a number: its address can be one of an internal network. */
  const sourceOf = ({ server, extendedError }: DnsEvidence) => {
    if (server !== undefined) resolvers.add(server);
    return { ...(server !== undefined && { server: String([...resolvers].indexOf(server)) }), extendedError };
  };

  function lookupIn<T extends RecordType>(question: LookupQuestion, answer: Answer<RecordData[T]>): object {
    const { name, type, dnssec, checkingDisabled } = question;
    const flags = { ...(dnssec && { dnssec }), ...(checkingDisabled && { checkingDisabled }) };
    return { name, type, ...flags, answer: recordedAnswer(question, answer, sourceOf(answer.evidence)) };
  }

  function requestIn(url: string, answer: WebAnswer): object {
    const { address } = answer.evidence;
    const evidence = { url: answer.evidence.url, address };
    if (answer.status === 'found') {
      const headers = Object.entries(answer.headers).filter(([name]) => HEADERS.includes(name));
      const certificate = facts(answer.certificate);
      return { url, answer: { ...answer, headers: Object.fromEntries(headers), certificate, evidence } };
    }
    const certificate = 'certificate' in answer && answer.certificate ? facts(answer.certificate) : undefined;
    return { url, answer: { ...answer, certificate, evidence } };
  }

  function probeIn({ hostname, address, trustAnchors }: SmtpProbeRequest, answer: SmtpAnswer): object {
    const evidence = { reply: answer.evidence.reply };
    const isEstablished = answer.status === 'found' && answer.starttls.status === 'established';
    const starttls = isEstablished && {
      starttls: { ...answer.starttls, certificate: facts(answer.starttls.certificate) },
    };
    return {
      ...{ hostname, address, trustAnchors: trustAnchors?.map(refer) },
      answer: { ...answer, ...starttls, evidence },
    };
  }

  function watchHistory(history: DkimHistory): DkimHistory {
    return {
      ...history,
      async reportedUse(selectors) {
        known.reportedUse ??= await history.reportedUse(selectors);
        return known.reportedUse;
      },
      async elsewhere(keys) {
        known.elsewhere ??= await history.elsewhere(keys);
        return known.elsewhere;
      },
    };
  }

  function question() {
    if (given === undefined) return undefined;
    const { dkimHistory: history, servedChains = [], dkimSelectors, reportMailbox, ...asked } = given.asked;
    const { keys, uses, isPartial, usedDays } = history ?? {};
    const chains = servedChains.filter(({ host }) => tlsaHosts.has(host));
    return {
      domain: asked.domain,
      testEmailLocalPart: asked.testEmailLocalPart,
      knownSelectors: asked.knownSelectors,
      ...{ dkimSelectors, reportMailbox },
      ...(chains.length > 0 && { servedChains: chains }),
      ...(history && { dkimHistory: { keys, uses, isPartial, usedDays, ...known } }),
    };
  }

  return {
    watched: (asked) => ({
      ...asked,
      ...(asked.dkimHistory && { dkimHistory: watchHistory(asked.dkimHistory) }),
      onTlsa(host, records) {
        tlsaHosts.add(host);
        asked.onTlsa?.(host, records);
      },
    }),

    recorded(network, asked, trust) {
      given = { asked, trust };
      const once = memory();
      const { authorities: servers } = network;
      return {
        ...network,
        clock: { now: () => startedAt },
        dns: {
          label: () => label,
          lookup(name, type, options) {
            const asking = lookupQuestion(asked.domain, name, type, options);
            return once(lookupKey(asking), () =>
              noting(
                dns,
                lookupIn(asking, { status: 'unavailable', reason: 'deadline', evidence: NONE }),
                network.dns.lookup(name, type, { ...options, dnssec: asking.dnssec }),
                (answer) => lookupIn(asking, answer),
              ),
            );
          },
        },
        web: {
          get: (request) =>
            once(request.url, () =>
              noting(
                https,
                requestIn(request.url, { ...LATE, evidence: { ...NONE, url: request.url } }),
                network.web.get(request),
                (answer) => requestIn(request.url, answer),
              ),
            ),
        },
        smtp: {
          probe: (request) =>
            once(`smtp ${probeKey(request)}`, () =>
              noting(
                smtp,
                probeIn(request, { ...LATE, evidence: { ...NONE, ...request } }),
                network.smtp.probe(request),
                (answer) => probeIn(request, answer),
              ),
            ),
        },
        ...(servers && {
          authorities: {
            ask: (server, name, type, ...more) =>
              once(`server ${authorityKey(server, name, type)}`, () =>
                noting(
                  authorities,
                  { server, name, type, answer: { status: LATE.status, detail: LATE.detail } },
                  servers.ask(server, name, type, ...more),
                  (answer) => ({ server, name, type, answer }),
                ),
              ),
          },
        }),
      };
    },

    run() {
      const asking = question();
      if (given === undefined || asking === undefined) return undefined;
      const { trustAnchors, markAnchors, stripped } = given.trust;
      const servesMarks = https.some(isPem);
      const recording = toJson({
        ...{ startedAt, endedAt: clock.now(), question: asking, label },
        trust: {
          dnssec: trustAnchors,
          ...(servesMarks && { marks: markAnchors.flatMap(derOf).map(refer) }),
          ...(stripped.length > 0 && { stripped }),
        },
        answers: { dns, https, smtp, ...(authorities.length > 0 && { authorities }) },
      });
      return { recording: recording as RecordingJson, certificates };
    },
  };
}

/** An answer without what no check reads: how long it took, and whether it was cached. */
function recordedAnswer<T extends RecordType>(
  { name, type }: LookupQuestion,
  answer: Answer<RecordData[T]>,
  source: Pick<DnsEvidence, 'extendedError'> & { readonly server?: string },
): object {
  if (answer.status === 'unavailable') return { status: answer.status, reason: answer.reason, ...source };
  const aliases = answer.aliases.length > 0 && { aliases: answer.aliases };
  if (answer.status === 'absent') {
    const { denial } = answer;
    const proof = denial && !isKeyName(name) && { denial: { name: denial.name, sets: denial.sets } };
    return { status: answer.status, reason: answer.reason, ...aliases, ...proof, ...source };
  }
  const { sets, ttl, records } = answer;
  const owner = answer.name !== name && { name: answer.name };
  const isProven = isDeepStrictEqual(recordsIn(sets, answer.name, type), records);
  const data = { ...(!isProven && { records }), ...(sets.length > 0 && { sets }) };
  return { status: answer.status, ttl, ...owner, ...aliases, ...data, ...source };
}

const isPem = (one: object): boolean => {
  const { answer } = one as { readonly answer: WebAnswer };
  return answer.status === 'found' && Buffer.from(answer.body).includes('-----BEGIN CERTIFICATE-----');
};

const pemCertificates = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

const derOf = (pem: string): readonly Uint8Array[] =>
  (pem.match(pemCertificates) ?? []).map((one) => Uint8Array.from(new X509Certificate(one).raw));
