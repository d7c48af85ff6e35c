/** Judges every case of `denial-cases.ts`, and compares the verdicts with those of Unbound and delv. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { semaphore } from '../../../../shared/network/semaphore.ts';
import type { RecordSet, RecordType } from '../../../../shared/protocol/dns.ts';
import { printTrustAnchors } from '../../../../shared/protocol/dnssec/anchors.ts';
import { createValidator } from '../../../../shared/protocol/dnssec/chain.ts';
import { hasBind } from '../../../kit/bind.ts';
import { type Delv, startDelv } from '../../../kit/delv.ts';
import type { WireAnswer } from '../../../kit/set-server.ts';
import { startUnbound, type Unbound } from '../../../kit/unbound.ts';
import { makeCases, questions, root } from './denial-cases.ts';
import { differencesOf } from './judge-differences.ts';
import { anchorOf, clock, now } from './signed-world.ts';

const cases = makeCases();
const nameIn = (zone: string, name: string) => name.replace('@', zone);

async function verdicts(judge: (name: string, type: RecordType) => Promise<string>, zone: string) {
  const judged: string[] = [];
  for (const [name, type] of questions) judged.push(await judge(nameIn(zone, name), type));
  return lettersOf(judged);
}

function lettersOf(judged: readonly string[]): string {
  return judged.map((verdict) => verdict.slice(0, 1).toUpperCase()).join('');
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

function describeWith(program: string, tests: () => void): void {
  if (hasBind(program)) describe(program, tests);
  else describe.skip(`${program}: skipped, because it is not installed`, tests);
}

/** What delv judges: starting it for all questions would take twice as long. */
const asked: readonly string[] = ['_dmarc.@ TXT', '_25._tcp.mx.@ TLSA', 'alias.@ A', 'q.wild.@ TXT'];
const delvQuestions = questions.filter((question) => asked.includes(question.join(' ')));
/** Some unsigned proofs make delv wait for itself, for twelve seconds, before it rejects the answer. */
const AT_ONCE = 32;

test('there are at least 250 cases, with an expected verdict each', () => {
  expect(cases.map(({ title }) => title)).toEqual(Object.keys(expected));
  for (const { length } of [questions, delvQuestions])
    expect(cases.length * length).toBeGreaterThanOrEqual(250);
});

test.each(cases.map((it) => [it.title, it] as const))('%s', async (title, it) => {
  expect(await ours(it)).toBe(expected[title]);
});

describeWith('unbound', () => {
  let unbound: Unbound;
  beforeAll(async () => {
    const anchor = printTrustAnchors([anchorOf(root)]);
    unbound = await startUnbound(anchor, now, serve);
  }, 30_000);
  afterAll(() => unbound.stop());

  test.each(cases.map((it) => [it.title, it] as const))('agrees: %s', async (title, it) => {
    const theirs = await verdicts((name, type) => unbound.judge(name, type), it.zone);
    expect(theirs).toBe(differencesOf('Unbound 1.17')[title] ?? expected[title]);
  });
});

describeWith('delv', () => {
  let delv: Delv;
  const theirs = new Map<string, Promise<string>>();
  beforeAll(async () => {
    const inTurn = semaphore(AT_ONCE);
    delv = await startDelv(anchorOf(root), serve);
    for (const { title, zone } of cases) {
      const judged = delvQuestions.map(([name, type]) => inTurn(() => delv.judge(nameIn(zone, name), type)));
      theirs.set(title, Promise.all(judged).then(lettersOf));
    }
  });
  afterAll(() => delv.stop());

  test.each(cases.map(({ title }) => title))('agrees: %s', async (title) => {
    const ours = delvQuestions.map((question) => expected[title]?.[questions.indexOf(question)]).join('');
    expect(await theirs.get(title)).toBe(differencesOf('delv 9.18')[title] ?? ours);
  });
});

test('every difference is one of a case', () => {
  for (const judge of ['Unbound 1.17', 'delv 9.18'] as const)
    expect(Object.keys(expected)).toEqual(expect.arrayContaining(Object.keys(differencesOf(judge))));
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
