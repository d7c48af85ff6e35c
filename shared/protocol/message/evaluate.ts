/** Authenticates a message as a receiver does: SPF for the envelope, DKIM for the signatures, DMARC for the author. */
import type { Signature } from '../dkim/verdict.ts';
import { verifySignatures } from '../dkim/verify.ts';
import { discoverPolicy } from '../dmarc/discover.ts';
import type { Dns } from '../dns.ts';
import { evaluate, type SpfProblem, type SpfResultName } from '../spf/evaluate.ts';
import { type Author, readAuthor } from './author.ts';
import { aligner, type DmarcVerdict, judge } from './dmarc-verdict.ts';
import { type HeaderSection, readHeaderSection } from './header-section.ts';
import type { ReceiverTrace } from './receiver-trace.ts';

/** A message with its parsed header section and author. */
interface ReadMessage {
  readonly message: Uint8Array;
  readonly section: HeaderSection;
  readonly author: Author;
}

/** Parses the header section and the author of a message. Accepts any octets. */
export function readMessage(message: Uint8Array): ReadMessage {
  const section = readHeaderSection(message);
  return { message, section, author: readAuthor(section) };
}

/** The SMTP envelope of the message. */
export type Envelope = Pick<ReceiverTrace, 'mailFrom' | 'helo' | 'ip'>;

interface SpfVerdict {
  /** Also `none` if the address of the client is unknown. */
  readonly result: SpfResultName;
  /** The domain whose SPF record was looked up: that of MAIL FROM, or of HELO for bounces. */
  readonly domain: string;
  readonly ip: string | null;
  readonly helo: string | null;
  readonly mailFrom: string;
  /** The term that matched, such as `-all`, and the domain of its record. */
  readonly matched: { readonly domain: string; readonly term: string } | null;
  readonly problem: SpfProblem | null;
  /** The explanation of the domain for clients that fail (exp modifier). */
  readonly explanation: string | null;
  readonly lookups: number;
  /** Whether the domain aligns with the author, in the alignment mode of the author's policy; null if unknown. */
  readonly aligned: boolean | null;
}

export interface AlignedSignature extends Signature {
  readonly aligned: boolean | null;
}

export interface DkimVerdict {
  /** Whether at least one signature passes. */
  readonly valid: boolean;
  readonly signatures: readonly AlignedSignature[];
  /** Signatures beyond those listed. */
  readonly more: number;
}

export interface Authentication {
  readonly spf: SpfVerdict;
  readonly dkim: DkimVerdict;
  readonly dmarc: DmarcVerdict;
}

/**
 * Evaluates a message as of `now`. An unknown envelope is undefined. Never throws. Takes seconds at most for the
 * largest and worst messages, plus the time of the DNS lookups.
 */
export async function evaluateMessage(
  { message, section, author }: ReadMessage,
  envelope: Envelope | undefined,
  dns: Dns,
  now: Date,
): Promise<Authentication> {
  const domain = author.status === 'missing' ? null : author.domain;
  const [spf, { signatures, more }, discovery] = await Promise.all([
    evaluateSpf(envelope, dns, now),
    verifySignatures(message, section, dns, now),
    domain === null ? null : discoverPolicy(domain, dns),
  ]);
  const align = aligner(domain, discovery, dns);
  const record = discovery?.status === 'found' ? discovery.record : null;
  const [spfAligned, ...aligned] = await Promise.all([
    align(spf.domain, record?.aspf ?? 'r'),
    ...signatures.map((signature) => align(signature.domain, record?.adkim ?? 'r')),
  ]);
  const placed = signatures.map((signature, at) => ({ ...signature, aligned: aligned[at] ?? null }));
  const placedSpf = { ...spf, aligned: spfAligned };
  const identifiers = placed.map((signature) => ({ ...signature, result: signature.verdict }));
  return {
    spf: placedSpf,
    dkim: { valid: signatures.some(({ verdict }) => verdict === 'pass'), signatures: placed, more },
    dmarc: judge(author, discovery, placedSpf, identifiers),
  };
}

const NO_ENVELOPE: Omit<SpfVerdict, 'aligned'> = {
  result: 'none',
  domain: '',
  ip: null,
  helo: null,
  mailFrom: '',
  matched: null,
  problem: null,
  explanation: null,
  lookups: 0,
};

async function evaluateSpf(envelope: Envelope | undefined, dns: Dns, now: Date) {
  if (envelope === undefined) return NO_ENVELOPE;
  const { ip, helo, mailFrom } = envelope;
  const { result, domain, lookups, matched, problem, explanation } = await evaluate(
    { ...envelope, now },
    dns,
  );
  return {
    result,
    domain,
    ip,
    helo: helo === '' ? null : helo,
    mailFrom,
    matched: matched ?? null,
    problem: problem ?? null,
    explanation: explanation ?? null,
    lookups,
  };
}
