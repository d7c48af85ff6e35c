/**
 * The network of a recorded check run: it answers what was answered then, to the same questions, and nothing else. What was not
 * recorded is unavailable, so nothing is concluded from it.
 */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type {
  AuthoritativeServers,
  AuthorityAnswer,
  CertificateFacts,
  Network,
  SmtpAnswer,
  WebAnswer,
} from '../../network/ports.ts';
import type { Answer, Dns, DnsEvidence, RecordData, RecordSet, RecordType } from '../../protocol/dns.ts';
import type { DkimHistory } from '../dkim/history.ts';
import type { DomainToCheck } from '../domain-to-check.ts';
import { type CheckContext, inspectOver } from '../inspect.ts';
import type { CheckResults } from '../results.ts';
import { authorityKey, type LookupQuestion, lookupKey, lookupQuestion, probeKey } from './questions.ts';
import { recordsIn } from './record-sets.ts';
import {
  type Certificates,
  type RecordedCertificate,
  type RecordedLookup,
  type RecordedSmtpAnswer,
  type RecordedWebAnswer,
  type Recording,
  recordData,
} from './recorded.ts';

export interface Replayed {
  readonly network: Network;
  /** The questions that were not recorded, in words. */
  readonly missing: () => readonly string[];
}

/** A recording that cannot be read: a certificate is missing, a record is none of its type, or an answer is none to its question. */
export class UnreadableRecording extends Error {
  override readonly name = 'UnreadableRecording';
}

const evidence = { milliseconds: 0 };
const NOT_RECORDED = 'not recorded';

/** @throws UnreadableRecording */
export function replay(
  { answers, question, label, startedAt }: Recording,
  certificates: Certificates,
): Replayed {
  const missing = new Set<string>();
  const lookups = new Map(answers.dns.map((one) => [lookupKey(questionOf(one)), readLookup(one)]));
  const requests = new Map(answers.https.map(({ url, answer }) => [url, readWeb(answer, certificates)]));
  const probes = new Map(
    answers.smtp.map(({ hostname, address, trustAnchors, answer }) => {
      const anchors = trustAnchors && { trustAnchors: derOf(trustAnchors, certificates) };
      return [
        probeKey({ hostname, address, ...anchors }),
        readProbe({ hostname, address }, answer, certificates),
      ];
    }),
  );
  const servers = new Map(
    (answers.authorities ?? []).map(({ server, name, type, answer }) => [
      authorityKey(server, name, type),
      answer.status === 'found' ? { ...answer, records: readRecords(type, answer.records) } : answer,
    ]),
  );

  const dns: Dns = {
    label: () => label,
    async lookup<T extends RecordType>(name: string, type: T, options = {}) {
      const key = lookupKey(lookupQuestion(question.domain, name, type, options));
      // The key determines the type of the answer.
      const answer = lookups.get(key) as Answer<RecordData[T]> | undefined;
      if (answer !== undefined) return answer;
      missing.add(`${name} ${type}`);
      return { status: 'unavailable', reason: 'unreachable', evidence };
    },
  };
  const authorities: AuthoritativeServers = {
    async ask<T extends RecordType>(server: string, name: string, type: T) {
      const answer = servers.get(authorityKey(server, name, type)) as
        | AuthorityAnswer<RecordData[T]>
        | undefined;
      if (answer !== undefined) return answer;
      missing.add(`${name} ${type} of ${server}`);
      return { status: 'unavailable', detail: NOT_RECORDED };
    },
  };
  return {
    missing: () => [...missing],
    network: {
      dns,
      ...(answers.authorities && { authorities }),
      clock: { now: () => new Date(startedAt) },
      web: {
        async get({ url }) {
          const answer = requests.get(url);
          if (answer !== undefined) return answer;
          missing.add(url);
          return {
            status: 'unavailable',
            reason: 'connection',
            detail: NOT_RECORDED,
            evidence: { ...evidence, url },
          };
        },
      },
      smtp: {
        async probe(request) {
          const answer = probes.get(probeKey(request));
          if (answer !== undefined) return answer;
          const { hostname, address } = request;
          missing.add(`${hostname} (${address}) port 25`);
          const detail = NOT_RECORDED;
          return {
            status: 'unavailable',
            reason: 'unreachable',
            detail,
            evidence: { ...evidence, hostname, address },
          };
        },
      },
    },
  };
}

/** Runs the checks of a recording again, on its answers. @throws UnreadableRecording */
export async function repeatChecks(
  recording: Recording,
  certificates: Certificates,
  wrap: (network: Network) => Network = (network) => network,
): Promise<{ readonly results: CheckResults; readonly missing: readonly string[] }> {
  const { network, missing } = replay(recording, certificates);
  const results = await inspectOver(wrap(network), askedIn(recording), contextOf(recording, certificates));
  return { results, missing: missing() };
}

/** What the checks of a recording trust. */
export function contextOf(
  { trust, endedAt }: Recording,
  certificates: Certificates,
): Required<Pick<CheckContext, 'trustAnchors' | 'markAnchors' | 'strippedZones' | 'signatureClock'>> {
  const marks = derOf(trust.marks ?? [], certificates);
  return {
    trustAnchors: trust.dnssec,
    markAnchors: marks.map(pemOf),
    strippedZones: new Map((trust.stripped ?? []).map((zone) => [zone, Number.POSITIVE_INFINITY])),
    signatureClock: { now: () => new Date(endedAt) },
  };
}

function askedIn({ question }: Recording): DomainToCheck {
  const { dkimHistory, ...asked } = question;
  return { ...asked, ...(dkimHistory && { dkimHistory: historyOf(dkimHistory) }) };
}

function historyOf({
  reportedUse,
  elsewhere,
  ...known
}: NonNullable<Recording['question']['dkimHistory']>): DkimHistory {
  return {
    ...known,
    reportedUse: async () => ({
      selectors: new Map(reportedUse?.selectors),
      isReporting: reportedUse?.isReporting ?? false,
    }),
    elsewhere: async () => new Map(elsewhere),
  };
}

const questionOf = ({ name, type, dnssec, checkingDisabled }: RecordedLookup): LookupQuestion => ({
  ...{ name, type },
  dnssec: dnssec === true,
  checkingDisabled: checkingDisabled === true,
});

function readLookup({ name, type, answer }: RecordedLookup): Answer<unknown> {
  const { server, extendedError } = answer;
  const from: DnsEvidence = {
    ...evidence,
    ...(server !== undefined && { server }),
    ...(extendedError !== undefined && { extendedError }),
  };
  if (answer.status === 'unavailable')
    return { status: 'unavailable', reason: answer.reason, evidence: from };
  const { aliases = [] } = answer;
  if (answer.status === 'absent') {
    const { reason, denial } = answer;
    if (!isChain(name, aliases, denial?.name, denial?.sets)) throw notAnAnswer(name, type);
    return {
      status: 'absent',
      reason,
      aliases,
      ...(denial && { denial: { ...denial, type } }),
      evidence: from,
    };
  }
  const { name: owner = name, sets = [], ttl, records } = answer;
  const proven = recordsIn(sets, owner, type);
  const data = records === undefined ? proven : readRecords(type, records);
  if (data === undefined || data.length === 0)
    throw new UnreadableRecording(`the answer about ${name} ${type} has no records`);
  // The checks read what DNSSEC proves: records and chains of aliases have no second version beside the sets.
  const isOfSets = sets.length === 0 || isDeepStrictEqual(proven, data);
  if (!isOfSets || !isChain(name, aliases, owner, sets)) throw notAnAnswer(name, type);
  return { status: 'found', records: data, name: owner, aliases, ttl, sets, evidence: from };
}

/** Whether aliases lead from a name to the owner of the answer, step by step as the CNAME sets say, if sets were recorded. */
function isChain(
  name: string,
  aliases: readonly string[],
  owner: string | undefined,
  sets: readonly RecordSet[] = [],
): boolean {
  const names = owner === undefined ? aliases : [...aliases, owner];
  if ((names[0] ?? name) !== name || new Set(names).size < names.length) return false;
  if (sets.length === 0) return true;
  return aliases.every((alias, i) => isDeepStrictEqual(recordsIn(sets, alias, 'CNAME'), [names[i + 1]]));
}

const notAnAnswer = (name: string, type: RecordType) =>
  new UnreadableRecording(`the answer about ${name} ${type} does not fit its question or its record sets`);

function readRecords(type: RecordType, records: readonly unknown[]): readonly unknown[] {
  const schema: z.ZodMiniType = recordData[type];
  const { success, data } = z.safeParse(z.array(schema), records);
  if (!success) throw new UnreadableRecording(`a record is not one of the type ${type}`);
  return data;
}

function readWeb(answer: RecordedWebAnswer, certificates: Certificates): WebAnswer {
  const from = { ...answer.evidence, ...evidence };
  if (answer.status === 'found')
    return { ...answer, certificate: factsOf(answer.certificate, certificates), evidence: from };
  if (answer.status !== 'rejected') return { ...answer, evidence: from };
  const { certificate, ...rest } = answer;
  return {
    ...rest,
    ...(certificate && { certificate: factsOf(certificate, certificates) }),
    evidence: from,
  };
}

function readProbe(
  host: { readonly hostname: string; readonly address: string },
  answer: RecordedSmtpAnswer,
  certificates: Certificates,
): SmtpAnswer {
  const from = { ...answer.evidence, ...host, ...evidence };
  if (answer.status !== 'found') return { ...answer, evidence: from };
  const { starttls } = answer;
  return {
    ...answer,
    starttls:
      starttls.status === 'established'
        ? { ...starttls, certificate: factsOf(starttls.certificate, certificates) }
        : starttls,
    evidence: from,
  };
}

function factsOf(
  { validFrom, validTo, chain, ...rest }: RecordedCertificate,
  certificates: Certificates,
): CertificateFacts {
  return {
    ...rest,
    validFrom: new Date(validFrom),
    validTo: new Date(validTo),
    chain: derOf(chain, certificates),
  };
}

const derOf = (hashes: readonly string[], certificates: Certificates): readonly Uint8Array[] =>
  hashes.map((hash) => {
    const der = certificates.get(hash);
    if (der === undefined) throw new UnreadableRecording(`the certificate ${hash} is missing`);
    return der;
  });

const pemOf = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----\n`;
