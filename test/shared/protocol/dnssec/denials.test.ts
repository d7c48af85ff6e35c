/** Judges every case of `denial-cases.ts`, and compares the verdicts with those of Unbound. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RecordType } from '../../../../shared/protocol/dns.ts';
import { printTrustAnchors } from '../../../../shared/protocol/dnssec/anchors.ts';
import { createValidator } from '../../../../shared/protocol/dnssec/chain.ts';
import { startUnbound, type Unbound } from '../../../kit/unbound.ts';
import { questions, root } from './denial-cases.ts';
import { cases, describeWith, expected, lettersOf, nameIn, serve } from './denial-verdicts.ts';
import { differencesOf } from './judge-differences.ts';
import { anchorOf, clock, now } from './signed-world.ts';

async function verdicts(judge: (name: string, type: RecordType) => Promise<string>, zone: string) {
  const judged: string[] = [];
  for (const [name, type] of questions) judged.push(await judge(nameIn(zone, name), type));
  return lettersOf(judged);
}

function ours({ zone, world }: (typeof cases)[number]): Promise<string> {
  const validator = createValidator({ dns: world, anchors: [anchorOf(root)], clock });
  return verdicts(async (name, type) => {
    const answer = await world.lookup(name, type);
    if (answer.status === 'unavailable') throw new Error(answer.reason);
    return (await validator.authenticate(answer)).status;
  }, zone);
}

test('no case is left out, and each verdict is one of a case', () => {
  expect(cases.map(({ title }) => title)).toEqual(Object.keys(expected));
  expect([cases.length, questions.length]).toEqual([70, 10]);
});

test.each(cases.map((it) => [it.title, it] as const))('%s', async (title, it) => {
  expect(await ours(it)).toBe(expected[title]);
});

describeWith('unbound', () => {
  let unbound: Unbound;
  beforeAll(async () => {
    const anchor = printTrustAnchors([anchorOf(root)]);
    unbound = await startUnbound(anchor, now, serve);
  });
  afterAll(() => unbound.stop());

  test.each(cases.map((it) => [it.title, it] as const))('agrees: %s', async (title, it) => {
    const theirs = await verdicts((name, type) => unbound.judge(name, type), it.zone);
    expect(theirs).toBe(differencesOf('Unbound 1.17')[title] ?? expected[title]);
  });
});

test('every difference is one of a case', () => {
  for (const judge of ['Unbound 1.17', 'delv 9.18'] as const)
    expect(Object.keys(expected)).toEqual(expect.arrayContaining(Object.keys(differencesOf(judge))));
});
