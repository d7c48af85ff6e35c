/** Judges every case of `denial-cases.ts`, and compares the verdicts with those of Unbound. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RecordSet, RecordType } from '../../../../shared/protocol/dns.ts';
import { printTrustAnchors } from '../../../../shared/protocol/dnssec/anchors.ts';
import { createValidator } from '../../../../shared/protocol/dnssec/chain.ts';
import { hasBind } from '../../../kit/bind.ts';
import { startUnbound, type Unbound, type WireAnswer } from '../../../kit/unbound.ts';
import { makeCases, questions, root } from './denial-cases.ts';
import { anchorOf, clock, now } from './signed-world.ts';

const cases = makeCases();
const nameIn = (zone: string, name: string) => name.replace('@', zone);

async function verdicts(judge: (name: string, type: RecordType) => Promise<string>, zone: string) {
  const letters: string[] = [];
  for (const [name, type] of questions) {
    const verdict = await judge(nameIn(zone, name), type);
    letters.push(verdict.slice(0, 1).toUpperCase());
  }
  return letters.join('');
}

function ours({ zone, world }: (typeof cases)[number]): Promise<string> {
  const validator = createValidator({ dns: world, anchors: [anchorOf(root)], clock });
  return verdicts(async (name, type) => {
    const answer = await world.lookup(name, type);
    if (answer.status === 'unavailable') throw new Error(answer.reason);
    return (await validator.authenticate(answer)).status;
  }, zone);
}

/** The verdicts on `questions` in their order: secure, insecure, bogus. */
const expected: Readonly<Record<string, string>> = {
  'NSEC: none': 'SSSSSSSSII',
  'NSEC: no records': 'BBBBBBBBBB',
  'NSEC: only SOA': 'BBBBBBBBBB',
  'NSEC: proofs without signatures': 'BBBBBBBBBB',
  'NSEC: SOA without signature': 'BBBBBBBSII',
  'NSEC: expired': 'BBBBBBBBBB',
  'NSEC: not valid yet': 'BBBBBBBBBB',
  'NSEC: expiration before inception': 'BBBBBBBBBB',
  'NSEC: changed after signing': 'BBBBBBBBBB',
  'NSEC: signed by a stranger': 'BBBBBBBBBB',
  'NSEC: signed by a name that is no zone': 'BBBBBBBBBB',
  'NSEC: a stray signature beside the valid one': 'SSSSSSSSII',
  'NSEC: the proof for another name': 'SSBBBBSSBB',
  'NSEC: only the first proof': 'SSSSSBSSII',
  'NSEC: without the first proof': 'BBBBBBBBBB',
  'NSEC: all types exist': 'BBBBBBBBBB',
  'NSEC: CNAME in the types': 'BBBBBBBBBB',
  'NSEC: the side of the parent': 'BBBBBBBBBB',
  'NSEC: the side of the child': 'BBBBBBBBBB',
  'NSEC: delegation without NS': 'BBBBBBBBBB',
  'NSEC: DNAME in the types': 'BBBBBBBBBB',
  'NSEC: labels of a wildcard': 'BBBBBBBBBB',
  'NSEC3: none': 'SSSSSSSSII',
  'NSEC3: no records': 'BBBBBBBBBB',
  'NSEC3: only SOA': 'BBBBBBBBBB',
  'NSEC3: proofs without signatures': 'BBBBBBBBBB',
  'NSEC3: SOA without signature': 'BBBBBBBSII',
  'NSEC3: expired': 'BBBBBBBBBB',
  'NSEC3: not valid yet': 'BBBBBBBBBB',
  'NSEC3: expiration before inception': 'BBBBBBBBBB',
  'NSEC3: changed after signing': 'BBBBBBBBBB',
  'NSEC3: signed by a stranger': 'BBBBBBBBBB',
  'NSEC3: signed by a name that is no zone': 'BBBBBBBBBB',
  'NSEC3: a stray signature beside the valid one': 'SSSSSSSSII',
  'NSEC3: the proof for another name': 'SBBBBSSSBB',
  'NSEC3: only the first proof': 'SBSSBBBBII',
  'NSEC3: without the first proof': 'BBBBBBBSBB',
  'NSEC3: all types exist': 'BBBBBBBBBB',
  'NSEC3: CNAME in the types': 'BBBBBBBBBB',
  'NSEC3: the side of the parent': 'BBBBBBBBBB',
  'NSEC3: the side of the child': 'BBBBBBBBBB',
  'NSEC3: delegation without NS': 'BBBBBBBBBB',
  'NSEC3: DNAME in the types': 'BBBBBBBBBB',
  'NSEC3: labels of a wildcard': 'BBBBBBBBBB',
  'NSEC3: 100 iterations': 'SSSSSSSSII',
  'NSEC3: 101 iterations': 'IIIIIIIIII',
  'NSEC3: an unknown flag': 'BBBBBBBBBB',
  'NSEC3: an unknown hash': 'BBBBBBBBBB',
  'NSEC3 with opt-out: none': 'SISSIIIIII',
  'NSEC3 with opt-out: no records': 'BBBBBBBBBB',
  'NSEC3 with opt-out: only SOA': 'BBBBBBBBBB',
  'NSEC3 with opt-out: proofs without signatures': 'BBBBBBBBBB',
  'NSEC3 with opt-out: SOA without signature': 'BBBBBBBIII',
  'NSEC3 with opt-out: expired': 'BBBBBBBBBB',
  'NSEC3 with opt-out: not valid yet': 'BBBBBBBBBB',
  'NSEC3 with opt-out: expiration before inception': 'BBBBBBBBBB',
  'NSEC3 with opt-out: changed after signing': 'BBBBBBBBBB',
  'NSEC3 with opt-out: signed by a stranger': 'BBBBBBBBBB',
  'NSEC3 with opt-out: signed by a name that is no zone': 'BBBBBBBBBB',
  'NSEC3 with opt-out: a stray signature beside the valid one': 'SISSIIIIII',
  'NSEC3 with opt-out: the proof for another name': 'SBBSBBBIBB',
  'NSEC3 with opt-out: only the first proof': 'SBSSBBBBBB',
  'NSEC3 with opt-out: without the first proof': 'BBBBBBBIBB',
  'NSEC3 with opt-out: all types exist': 'BBBBBBBBBB',
  'NSEC3 with opt-out: CNAME in the types': 'BBBBBBBBBB',
  'NSEC3 with opt-out: the side of the parent': 'BBBBBBBBBB',
  'NSEC3 with opt-out: the side of the child': 'BBBBBBBBBB',
  'NSEC3 with opt-out: delegation without NS': 'BBBBBBBBBB',
  'NSEC3 with opt-out: DNAME in the types': 'BBBBBBBBBB',
  'NSEC3 with opt-out: labels of a wildcard': 'BBBBBBBBBB',
};

/**
 * Where Unbound 1.17 says something else. An unsigned SOA record spoils an answer behind an alias, too (RFC 4035 section 3.1.1). A set of NSEC or NSEC3 records that is expanded from a wildcard proves nothing
 * about its owner: these sets are never expanded (RFC 4035 sections 2.3 and 5.3.4; compare CVE-2017-15105).
 */
const unboundSays: typeof expected = {
  'NSEC3 with opt-out: SOA without signature': 'BBBBBIBIII',
  'NSEC: labels of a wildcard': 'SSSBSSBBII',
  'NSEC3: labels of a wildcard': 'SSSSSSSSII',
  'NSEC3 with opt-out: labels of a wildcard': 'SISSIIIIII',
};

test('there are at least 250 cases, with an expected verdict each', () => {
  expect(cases.map(({ title }) => title)).toEqual(Object.keys(expected));
  expect(cases.length * questions.length).toBeGreaterThan(250);
});

test.each(cases.map((it) => [it.title, it] as const))('%s', async (title, it) => {
  expect(await ours(it)).toBe(expected[title]);
});

(hasBind('unbound') ? describe : describe.skip)('Unbound', () => {
  let unbound: Unbound;
  beforeAll(async () => {
    const anchor = printTrustAnchors([anchorOf(root)]);
    unbound = await startUnbound(anchor, now, serve);
  }, 30_000);
  afterAll(() => unbound.stop());

  test.each(cases.map((it) => [it.title, it] as const))('agrees: %s', async (title, it) => {
    const theirs = await verdicts((name, type) => unbound.judge(name, type), it.zone);
    expect(theirs).toBe(unboundSays[title] ?? expected[title]);
  });
});

async function serve(name: string, type: string): Promise<WireAnswer> {
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
