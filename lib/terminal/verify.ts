/** `npm run verify <evidence.json> --keys <jwks.json>`: verifies evidence, without a service and without a network. */
import { readFileSync } from 'node:fs';
import {
  MAX_EVIDENCE_OCTETS,
  readKeySet,
  type Verified,
  verifyEvidence,
} from '../../shared/evidence/verify.ts';
import { CommandError, commandLine, read } from './command-line.ts';
import { visible } from './text.ts';

/** It differs, also if another release made it, something in it is refuted, or it is proven only from anchors of the service; 1 is a failure of the command. */
const NOT_VERIFIED = 3;

interface Typed {
  readonly keys: string;
  readonly json?: boolean;
  readonly ownAnchors?: boolean;
}

/**
 * Runs the command.
 * @throws UsageError for invalid arguments, CommandError for files that cannot be used.
 */
export async function verify(
  args: readonly string[],
): Promise<{ readonly output: string; readonly code: 0 | typeof NOT_VERIFIED }> {
  const program = commandLine('verify', 'evidence.json --keys jwks.json')
    .description(
      'Verifies evidence without a network: its signature, each finding, the score and the plan from the recorded answers, DNSSEC and TLS. npm passes options on only after "--".',
    )
    .argument('<evidence>', 'the file with the evidence, as the service answered it')
    .requiredOption('--keys <file>', 'the public keys of the service, from /.well-known/jwks.json')
    .option('--own-anchors', 'accept DNSSEC trust anchors and roots of the service that are not public')
    .option('--json', 'print JSON');
  const [file] = read(program, args).processedArgs as [string];
  const { keys: keysFile, json = false, ownAnchors = false } = program.opts<Typed>();
  const keys = readKeySet(textOf(keysFile));
  if (keys === undefined) throw new CommandError(`${keysFile} is no JSON Web Key Set`);
  const made = await verifyEvidence(textOf(file), keys);
  const code = made.ok && isUnrefuted(made) && (ownAnchors || isFromPublicAnchors(made)) ? 0 : NOT_VERIFIED;
  if (json) return { output: JSON.stringify(made, null, 2), code };
  return { output: made.ok ? describe(made) : `Not verified: ${made.problem}.`, code };
}

const isUnrefuted = ({ comparisons, tls }: Verified): boolean =>
  comparisons.every(({ verdict }) => verdict === 'same' || verdict === 'unknown') &&
  tls.every(({ verdict }) => verdict !== 'refuted');

const isFromPublicAnchors = ({ anchors, tls }: Verified): boolean =>
  (anchors.isIana || anchors.records === '') && tls.every(({ isOwnRoot }) => isOwnRoot !== true);

/** Octets that are no UTF-8, or a byte order mark, would be another file with the same text. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(path: string): string {
  try {
    const content = readFileSync(path);
    if (content.length <= MAX_EVIDENCE_OCTETS) return decoder.decode(content);
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`);
  }
  throw new CommandError(`${path} is too large`);
}

const verdicts = {
  same: 'same',
  differs: 'DIFFERS',
  'other-release': 'differs from what this release finds',
  unknown: 'cannot be known',
} as const;

function describe(made: Verified): string {
  const { domain, checkedAt, issuer, issuedAt, kid, release, verifiedBy } = made;
  const because = (why: string | undefined) => (why === undefined ? '' : `: ${why}`);
  const releases = release === verifiedBy ? release : `${release}; verified by ${verifiedBy}`;
  const proofs = Map.groupBy(made.dnssec, ({ status }) => status);
  const counts = [...proofs].map(([status, of]) => `${of.length} ${status}`).join(', ');
  const lines = [
    `Signature   valid, by the key ${kid}`,
    `Evidence    ${domain}, checked at ${checkedAt}; signed by ${issuer} at ${issuedAt}`,
    `Release     ${releases}`,
    '',
    'Computed again from the recorded answers:',
    ...made.comparisons.map(
      ({ what, verdict, why }) => `  ${what.padEnd(10)}${verdicts[verdict]}${because(why)}`,
    ),
    ...(made.missing.length === 0 ? [] : [`  not recorded: ${made.missing.join(', ')}`]),
    '',
    `DNSSEC at that time, from ${made.anchors.isIana ? "IANA's anchors of the root" : `these anchors: ${made.anchors.records.replaceAll(';', '; ')}`}: ${counts || 'no answers with proofs'}`,
    // The same name was asked about with and without validation by the resolver.
    ...new Set(
      made.dnssec.map(({ name, type, status, reasons }) => {
        const why = reasons.map(({ code }) => code).join(', ');
        return `  ${status.padEnd(10)}${name || '.'} ${type}${why === '' ? '' : ` (${why})`}`;
      }),
    ),
    '',
    'Certificates at that time, up to the recorded roots:',
    ...(made.tls.length === 0 ? ['  none'] : []),
    ...made.tls.map(({ host, verdict, detail }) => `  ${verdict.padEnd(10)}${host}: ${detail}`),
  ];
  return lines.map(visible).join('\n');
}
