/** Mails of the corpus cut short at every octet, each read by the report reader and by the mail tester. */
import { analyse } from '../../shared/mail-test/analyse.ts';
import { verdicts } from '../../shared/mail-test/rules.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import { readMail } from '../../shared/reports/read-mail.ts';
import { corpusBytes, corpusMails } from './corpus-files.ts';
import { rsaKey } from './dkim-signer.ts';
import { edged, hostileWorld, received } from './hostile-mails.ts';
import { zone } from './zone.ts';

interface CutMails {
  /** How many there were. */
  readonly mails: number;
  /** Path, length and program of each that did not end. */
  readonly lost: readonly string[];
  /** The longest that one of the programs took, in milliseconds of wall-clock time. */
  readonly slowest: number;
}

/** Longer than a mail may take. */
const PATIENCE_MILLISECONDS = 15_000;

const KEY = 's._domainkey.example.org';
const { record } = rsaKey();

/** Every selector has a key, so that signatures are verified. A new one for each mail, for a zone keeps what it was asked. */
function dnsOfKeys(): Dns {
  const keys = zone({ [KEY]: { TXT: [record] } });
  return {
    lookup: (name, type, options) => keys.lookup(name.includes('._domainkey.') ? KEY : name, type, options),
  };
}

/** Where a mail is cut short: at every so many octets, counted through all of the corpus. */
export function everyOctets(step: number): (mail: Uint8Array) => readonly number[] {
  let next = 0;
  return ({ length }) => {
    const lengths: number[] = [];
    for (; next <= length; next += step) lengths.push(next);
    next -= length + 1;
    return lengths;
  };
}

/** Behind every line. */
export const everyLine = (mail: Uint8Array): readonly number[] =>
  [...mail].flatMap((octet, at) => (octet === LF ? [at + 1] : []));

const LF = 0x0a;

/** Has every mail of the corpus, cut short at each of its lengths, read by each of the programs. */
export async function readCutMails(
  lengthsOf: (mail: Uint8Array) => readonly number[],
  programs: readonly ((mail: Uint8Array) => Promise<boolean>)[] = [endsInReader, endsInTester],
): Promise<CutMails> {
  const lost: string[] = [];
  let [mails, slowest] = [0, 0];
  for (const path of corpusMails()) {
    const whole = corpusBytes(path);
    for (const length of lengthsOf(whole)) {
      for (const ends of programs) {
        const start = performance.now();
        if (!(await inTime(ends(whole.subarray(0, length))))) lost.push(`${path}, ${length}, ${ends.name}`);
        slowest = Math.max(slowest, performance.now() - start);
      }
      mails++;
    }
  }
  return { mails, lost, slowest };
}

/** Whether a mail ends in an outcome of the report reader, and not because its time is up. */
export async function endsInReader(mail: Uint8Array): Promise<boolean> {
  const outcomes = await readMail(mail);
  return outcomes.length > 0 && outcomes.every((reading) => reading.outcome !== 'too-large');
}

/** Whether a mail ends in a verdict of the mail tester. */
export async function endsInTester(mail: Uint8Array): Promise<boolean> {
  const { verdict } = await analyse(received(edged(mail)), { ...hostileWorld, dns: dnsOfKeys() });
  return verdicts.includes(verdict);
}

/** False where it fails or does not end. */
async function inTime(work: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MILLISECONDS, false);
  });
  try {
    return await Promise.race([work, late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
