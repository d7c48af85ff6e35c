/** The verdicts on the cases of `denial-cases.ts`, and how judges get the cases. */
import { describe } from '@jest/globals';
import type { RecordSet, RecordType } from '../../../../shared/protocol/dns.ts';
import { hasBind } from '../../../kit/bind.ts';
import type { WireAnswer } from '../../../kit/set-server.ts';
import { makeCases } from './denial-cases.ts';

export const cases = makeCases();

export const nameIn = (zone: string, name: string) => name.replace('@', zone);

/** The first letter of each verdict. */
export function lettersOf(judged: readonly string[]): string {
  return judged.map((verdict) => verdict.slice(0, 1).toUpperCase()).join('');
}

/** Where not all of the answers are bogus: the verdicts on `questions` in their order, secure, insecure and bogus. */
const notBogus: Readonly<Record<string, string>> = {
  'NSEC: none': 'SSSSSSSSII',
  'NSEC: SOA without signature': 'BBBBBBBSII',
  'NSEC: a stray signature beside the valid one': 'SSSSSSSSII',
  'NSEC: the proof for another name': 'SSBBBBSSBB',
  'NSEC: only the first proof': 'SSSSSBSSII',
  'NSEC3: none': 'SSSSSSSSII',
  'NSEC3: SOA without signature': 'BBBBBBBSII',
  'NSEC3: a stray signature beside the valid one': 'SSSSSSSSII',
  'NSEC3: the proof for another name': 'SBBBBSSSBB',
  'NSEC3: only the first proof': 'SBSSBBBBII',
  'NSEC3: without the first proof': 'BBBBBBBSBB',
  'NSEC3: 100 iterations': 'SSSSSSSSII',
  'NSEC3: 101 iterations': 'IIIIIIIIII',
  'NSEC3 with opt-out: none': 'SISSIIIIII',
  'NSEC3 with opt-out: SOA without signature': 'BBBBBBBIII',
  'NSEC3 with opt-out: a stray signature beside the valid one': 'SISSIIIIII',
  'NSEC3 with opt-out: the proof for another name': 'SBBSBBBIBB',
  'NSEC3 with opt-out: only the first proof': 'SBSSBBBBBB',
  'NSEC3 with opt-out: without the first proof': 'BBBBBBBIBB',
};

/** The verdicts by case. */
export const expected: Readonly<Record<string, string>> = {
  ...Object.fromEntries(cases.map(({ title }) => [title, 'BBBBBBBBBB'])),
  ...notBogus,
};

/** Tests with a judge that may be missing. */
export function describeWith(program: string, tests: () => void): void {
  if (hasBind(program)) describe(program, tests);
  else describe.skip(`${program}: skipped, because it is not installed`, tests);
}

/** Answers for all zones of the cases, as their servers do. */
export async function serve(name: string, type: string): Promise<WireAnswer> {
  const zone = name.split('.').at(-1);
  const owner = cases.find((it) => it.zone === zone) ?? cases[0];
  if (owner === undefined) throw new Error('no cases');
  const answer = await owner.world.lookup(name, type as RecordType);
  const isProof = (set: RecordSet) => set.type === 'NSEC' || set.type === 'NSEC3';
  if (answer.status === 'found')
    return {
      rcode: 'NOERROR',
      answers: answer.sets.filter((set) => !isProof(set) && (set.type !== 'SOA' || type === 'SOA')),
      authorities: answer.sets.filter(isProof),
    };
  if (answer.status === 'unavailable') return { rcode: 'SERVFAIL', answers: [], authorities: [] };
  const sets = answer.denial?.sets ?? [];
  return {
    rcode: answer.reason === 'no-name' ? 'NXDOMAIN' : 'NOERROR',
    answers: sets.filter((set) => set.type === 'CNAME'),
    authorities: sets.filter((set) => set.type !== 'CNAME'),
  };
}
